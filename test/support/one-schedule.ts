/** What tests of firing do with one schedule, `s`, of the store that is in use. */
import type { World } from './world.js'

export function oneSchedule(store: () => World) {
  const make = (more = {}) =>
    store().schedules.create({
      name: 's',
      kind: 'k',
      queue: 'q',
      expression: '@hourly',
      input: { n: 1 },
      ...more,
    })
  const fireAfter = async (ms: number) => {
    await store().clock.advance(ms)
    return store().scheduler.fireDue()
  }
  const history = async () =>
    (await store().schedules.history('s', { limit: 500 }))
      .reverse()
      .map(({ slot, outcome, slots, jobId }) => ({
        at: slot.toISOString().slice(11, 16),
        outcome,
        ...(slots === 1 ? {} : { slots }),
        ...(jobId === null ? {} : { jobId }),
      }))
  const claim = async () => {
    const [job] = await store().work.claim({ worker: 'w', queues: ['q'] })
    if (job === undefined) throw new Error('nothing to claim')
    return job
  }
  const finish = async (job: Awaited<ReturnType<typeof claim>>) =>
    store().work.finish([{ ...job, outcome: 'succeeded' }])
  const waiting = async () => (await store().list.jobs({ state: 'queued' })).rows.length
  return { make, fireAfter, history, claim, finish, waiting }
}
