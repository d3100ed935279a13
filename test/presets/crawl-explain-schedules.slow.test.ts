// The crawl preset, troubleshooting: why a schedule did not fire, each reason by the library, over HTTP and from the command line.
import { beforeEach, describe, expect, it } from 'vitest'
import { holdfast } from '../support/cli/child.js'
import { oneSchedule } from '../support/one-schedule.js'
import { pinnedServer, type ServedWorld } from '../support/served-world.js'
import { postgresUrl, type World } from '../support/world.js'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

let server: ServedWorld<World>
let store: World
beforeEach(async () => {
  server = await pinnedServer()
  store = server.store
})
const { make, fireAfter, claim } = oneSchedule(() => store)

/** Names in snake_case, as HTTP has them. */
const onTheWire = (data: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  )

/** Times as the command line prints them, for a test that runs in UTC. */
const inLocalTime = (sentence: string) => sentence.replace(/(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)Z/g, '$1 $2Z')

/** The same reasons three times; answers their sentences by their codes. */
async function explained(): Promise<Record<string, string>> {
  const reasons = await store.schedules.explain('s')
  const { body } = await server.call('GET', '/api/v1/schedules/s/explain')
  expect(body.reasons).toEqual(
    reasons.map((reason) => ({ ...reason, data: JSON.parse(JSON.stringify(onTheWire(reason.data))) })),
  )
  const where = ['--url', postgresUrl(), '--schema', store.schema]
  const { code, stdout } = await holdfast(['schedules', 'explain', 's', ...where], { env: { TZ: 'UTC' } })
  expect(code).toBe(0)
  const words = stdout.replace(/\s+/g, ' ')
  for (const { sentence, blocking } of reasons) {
    expect(words).toContain(`${blocking ? '×' : '·'} ${inLocalTime(sentence)}`)
    expect(sentence).toMatch(/^[A-Z\d].*\.$/)
  }
  return Object.fromEntries(reasons.map(({ code: word, sentence }) => [word, sentence]))
}

/** As upkeep of some process says it looked for what is due. */
const look = (error: string | null = null) =>
  store.upkeep.recordChores('host-7:42', [
    {
      name: 'schedules',
      everyMs: MINUTE,
      agoMs: 0,
      durationMs: 1,
      rows: 0,
      runs: 1,
      rowsTotal: 0,
      lastChangeAgoMs: null,
      failures: error === null ? 0 : 1,
      error,
    },
  ])

describe('S1.20 why a schedule did not fire', () => {
  it('S1.20 explains that a schedule is not due yet, or due and about to fire', async () => {
    await make()
    expect(await explained()).toEqual({ not_due: 'It fires next at 2030-01-01T01:00:00Z.' })
    await store.clock.advance(HOUR + 2 * MINUTE)
    expect(await explained()).toEqual({
      due: 'It is due since 2030-01-01T01:00:00Z and fires with the next look.',
    })
  })

  it('S1.20 explains that a schedule is disabled, paused by an operator with a note, and held by a maintenance window, all at once', async () => {
    await make()
    await store.schedules.disable('s')
    await store.schedules.pause('s', { actor: 'ada', reason: 'the books are open' })
    await store.schedules.pauseAll({
      actor: 'bob',
      reason: 'new disks',
      until: new Date('2030-01-01T06:00:00Z'),
    })
    await store.clock.advance(3 * HOUR)
    expect(await explained()).toEqual({
      disabled: 'It is disabled; enable it to let it fire.',
      paused: 'It was paused by ada at 2030-01-01T00:00:00Z: the books are open.',
      maintenance:
        'A maintenance window by bob holds all schedules of the tenant since 2030-01-01T00:00:00Z, until 2030-01-01T06:00:00Z: new disks.',
    })
  })

  it('S1.20 explains that slots during a pause were skipped', async () => {
    await make()
    await store.schedules.pause('s')
    await store.clock.advance(2 * HOUR + MINUTE)
    await store.schedules.resume('s')
    expect(await explained()).toEqual({
      not_due: 'It fires next at 2030-01-01T03:00:00Z.',
      skipped:
        '2 slots from 2030-01-01T01:00:00Z to 2030-01-01T02:00:00Z were skipped: it was paused, or a maintenance window was open.',
    })
  })

  it('S1.20 explains that the job of an earlier firing has not ended: the slot was skipped, or a firing waits for it', async () => {
    await make({ overlap: 'skip' })
    await fireAfter(HOUR)
    const { jobId } = await claim()
    await fireAfter(HOUR)
    expect(await explained()).toEqual({
      not_due: 'It fires next at 2030-01-01T03:00:00Z.',
      skipped: `Its slot of 2030-01-01T02:00:00Z was skipped: job ${jobId} of an earlier firing has not ended.`,
    })
    await store.schedules.update('s', { overlap: 'queue_one' })
    await fireAfter(HOUR)
    await fireAfter(HOUR)
    expect(await explained()).toEqual({
      not_due: 'It fires next at 2030-01-01T05:00:00Z.',
      waiting: `The firing of 2030-01-01T03:00:00Z waits until job ${jobId} has ended.`,
      skipped: 'Its slot of 2030-01-01T04:00:00Z was skipped: another firing waits already.',
    })
  })

  it('S1.20 explains that its subject had a live job', async () => {
    await make({ subject: 'r/cats' })
    const { jobId } = await store.enqueue({ queue: 'q', kind: 'k', key: 'r/cats' })
    await fireAfter(HOUR)
    expect(await explained()).toMatchObject({
      deduplicated: `At 2030-01-01T01:00:00Z its subject had a live job already, ${jobId}; none was made.`,
    })
  })

  it('S1.20 explains that slots were missed, also if the newest one was caught up or an operator has run it since', async () => {
    await make({ catchUp: 'skip' })
    await fireAfter(HOUR + 10 * MINUTE)
    await store.schedules.run('s')
    const missed = 'Its slot of 2030-01-01T01:00:00Z was missed: no process ran to fire it in time'
    expect(await explained()).toEqual({
      not_due: 'It fires next at 2030-01-01T02:00:00Z.',
      missed: `${missed}, and catch-up "skip" makes up for none.`,
    })
    await store.schedules.update('s', { catchUp: 'latest' })
    await fireAfter(4 * HOUR)
    expect((await explained()).missed).toBe(
      '3 slots from 2030-01-01T02:00:00Z to 2030-01-01T04:00:00Z were missed: no process ran to fire them in time, and catch-up "latest" makes up for the newest only.',
    )
    await fireAfter(50 * MINUTE)
    expect(await explained()).toEqual({ not_due: 'It fires next at 2030-01-01T07:00:00Z.' })
  })

  it('S1.20 explains that no scheduler runs: none ever ran, or none has run for a while', async () => {
    await make()
    await store.clock.advance(HOUR + 3 * MINUTE)
    const start =
      'Every worker and server looks while it runs: start one, `holdfast worker` or `holdfast server`.'
    expect(await explained()).toEqual({
      overdue: 'Its slot of 2030-01-01T01:00:00Z is 180 s late and no process has fired it.',
      upkeep_asleep: `No process has run the scheduler yet. ${start}`,
    })
    await look()
    await store.clock.advance(4 * MINUTE)
    expect((await explained()).upkeep_asleep).toBe(
      `No process has run the scheduler since 2030-01-01T01:03:00Z on host-7:42. ${start}`,
    )
  })

  it('S1.20 explains that the scheduler fails, or cannot parse the expression', async () => {
    await make()
    await store.clock.advance(HOUR + 3 * MINUTE)
    await look('The schedule s could not be fired: the disk is full')
    expect((await explained()).upkeep_failing).toBe(
      'The last look for what is due, at 2030-01-01T01:03:00Z on host-7:42, failed: The schedule s could not be fired: the disk is full.',
    )
    await look()
    expect((await explained()).upkeep_failing).toBe(
      'The last look for what is due, at 2030-01-01T01:03:00Z on host-7:42, did not fire it: the log there says why.',
    )
    await store.database.query("update holdfast.schedule set expression = '@moonrise'")
    expect((await explained()).unreadable).toMatch(
      /^This version cannot read when it fires: .*position 1: there is no "@moonrise".* Change it, or fire it with the version that made it\.$/,
    )
  })

  it('S1.20 explains that a schedule fires into a queue that is paused or was removed', async () => {
    await make()
    await fireAfter(HOUR)
    await store.queues.pause('q', { actor: 'eve', reason: 'lunch' })
    expect(await explained()).toMatchObject({
      queue_paused:
        'Its jobs are made and wait: the queue q was paused by eve at 2030-01-01T01:00:00Z: lunch.',
    })
    await store.database.query("update holdfast.queue set name = 'other'")
    expect(await explained()).toMatchObject({
      queue_gone: 'Its queue q is gone; the next job makes it anew.',
    })
    await fireAfter(HOUR)
    expect(await explained()).toEqual({ not_due: 'It fires next at 2030-01-01T03:00:00Z.' })
  })
})
