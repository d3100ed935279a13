import { defineJob } from 'holdfast'
import { type Store, storeOn } from 'holdfast/store'
import { expect, it, onTestFinished, vi } from 'vitest'
import { startUpkeep } from '../../src/app/upkeep-loop.js'
import { freshApp, pinnedApp } from '../support/app.js'
import { makeUser, open, urlOf } from '../support/databases.js'
import { freshStore, onEachDriver } from '../support/world.js'

const WAIT = { timeout: 100_000, interval: 20 }
const idle = defineJob({ kind: 'idle', queue: 'worked-on', handler: async () => null })

onEachDriver('upkeep', (driver) => {
  it('brings in delayed jobs, jobs of lost leases and the next of a target in one call', async () => {
    const { app, clock } = await pinnedApp({}, driver)
    const { store } = app
    const make = async (more: object) => (await store.enqueue({ queue: 'q', kind: 'k', ...more })).jobId
    const [delayed, lost] = [await make({ delayMs: 1_000 }), await make({})]
    await store.work.claimById(lost, { worker: 'w', leaseMs: 1_000 })
    expect(await store.upkeep.promoteDueWork()).toBe(0)
    await clock.advance(1_001)
    expect(await store.upkeep.promoteDueWork()).toBe(2)
    const states = await Promise.all([delayed, lost].map(async (id) => (await store.read.job(id)).state))
    expect(states).toEqual(['queued', 'queued'])
  })

  it('goes on in a program without workers from upkeep.start() until upkeep.stop() or the end of the app', async () => {
    const app = await freshApp({}, driver)
    const make = async () => (await app.store.enqueue({ queue: 'q', kind: 'k', delayMs: 1 })).jobId
    const isQueued = async (id: number) => expect(await app.handle(id).status()).toBe('queued')
    app.upkeep.start()
    app.upkeep.start()
    const first = await make()
    await vi.waitFor(() => isQueued(first), WAIT)
    await app.upkeep.stop()
    await app.upkeep.stop()
    const second = await make()
    app.upkeep.start()
    await vi.waitFor(() => isQueued(second), WAIT)
    await app.stop()
  })

  it('goes on by itself while a worker works, also for queues that nobody works on', async () => {
    const app = await freshApp({ jobs: [idle] }, driver)
    await app.work()
    const { jobId } = await app.store.enqueue({ queue: 'nobody', kind: 'k', delayMs: 1 })
    await vi.waitFor(async () => expect(await app.handle(jobId).status()).toBe('queued'), WAIT)
  })
})

const promote = (store: Store, from: string, to: string) =>
  store.database.script(`alter function holdfast.${from}(int) rename to ${to}`)

/** A log that keeps which chores failed, and which were left to others. */
function failures() {
  const [failed, left]: [string[], string[]] = [[], []]
  const into = (list: string[]) => (fields: object) => void list.push((fields as { chore: string }).chore)
  const times = (list: string[]) => (chore: string) => list.filter((one) => one === chore).length
  const log = { debug: into(left), info() {}, error() {}, warn: into(failed) }
  return { log, times: times(failed), timesLeft: times(left) }
}

it('upkeep goes on after failures, and leaves to others what its role may not do', async () => {
  const [broken, forbidden] = [await freshStore(), await freshStore()]
  const DUE = 'promote'
  const { jobId } = await broken.enqueue({ queue: 'q', kind: 'k', delayMs: 1 })
  await promote(broken, 'promote', 'promoted')
  const user = await makeUser()
  onTestFinished(() => forbidden.database.script(`drop owned by ${user}`))
  await forbidden.database.script(
    `grant usage on schema holdfast to ${user}; revoke execute on function holdfast.promote from public`.replace(
      'schema holdfast',
      `schema ${forbidden.schema}`,
    ),
  )
  const asUser = storeOn(open(urlOf({ user })), forbidden.schema)

  const [again, once] = [failures(), failures()]
  const passes = vi.spyOn(broken.upkeep, 'promoteDueWork')
  const loops = [startUpkeep(broken, again.log), startUpkeep(asUser, once.log)]
  await vi.waitFor(() => expect(passes.mock.calls.length).toBeGreaterThan(2), WAIT)
  // The same failure is no news every second.
  expect(again.times(DUE)).toBe(1)
  expect([once.timesLeft(DUE), once.times(DUE)]).toEqual([1, 0])
  await promote(broken, 'promoted', 'promote')
  await vi.waitFor(async () => expect((await broken.read.job(jobId)).state).toBe('queued'), WAIT)
  await Promise.all(loops.map((loop) => loop.stop()))
})
