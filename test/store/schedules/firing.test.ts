import { beforeEach, expect, it } from 'vitest'
import { oneSchedule } from '../../support/one-schedule.js'
import { onEachDriver, pinnedStore, type World } from '../../support/world.js'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const at = (text: string) => new Date(`2030-01-01T${text}Z`)

onEachDriver('firing', (driver) => {
  let store: World
  beforeEach(async () => {
    store = await pinnedStore(driver)
  })
  const { make, fireAfter, history, claim, finish, waiting } = oneSchedule(() => store)

  it('a slot makes the job that the schedule describes, once, and the schedule moves on', async () => {
    await make({ priority: 33 })
    expect(await store.scheduler.next()).toEqual({ inMs: HOUR, waiting: false })
    expect(await store.scheduler.fireDue()).toEqual({ fired: 0, more: false, failures: [] })
    expect(await fireAfter(HOUR)).toEqual({ fired: 1, more: false, failures: [] })
    expect(await store.scheduler.fireDue()).toMatchObject({ fired: 0 })
    const [{ jobId } = { jobId: null }] = await store.schedules.history('s')
    expect(await store.read.job(jobId as number)).toMatchObject({
      queue: 'q',
      kind: 'k',
      input: { n: 1 },
      priority: 33,
      createdBy: 'schedule:s',
      labels: { schedule: 's' },
      state: 'queued',
    })
    expect(await store.schedules.get('s')).toMatchObject({
      nextRunAt: at('02:00:00'),
      lastRunAt: at('01:00:00'),
    })
    expect(await history()).toMatchObject([{ at: '01:00', outcome: 'created', jobId }])
  })

  it('a firing whose subject has a live job counts as deduplicated, and names that job', async () => {
    await make({ subject: 'r/cats' })
    await fireAfter(HOUR)
    await fireAfter(HOUR)
    const [first, second] = await history()
    expect([first, second]).toMatchObject([
      { outcome: 'created' },
      { outcome: 'deduplicated', jobId: first?.jobId },
    ])
    await finish(await claim())
    await fireAfter(HOUR)
    expect((await history())[2]).toMatchObject({ outcome: 'created' })
    expect(await store.schedules.explain('s')).toMatchObject([{ code: 'not_due' }])
  })

  it.each([
    ['skip', {}, [{ at: '01:00', outcome: 'missed', slots: 5 }]],
    [
      'latest',
      {},
      [
        { at: '01:00', outcome: 'missed', slots: 4 },
        { at: '05:00', outcome: 'created' },
      ],
    ],
    [
      'all',
      { catchUpMax: 2 },
      [
        { at: '01:00', outcome: 'missed', slots: 3 },
        { at: '04:00', outcome: 'created' },
        { at: '05:00', outcome: 'created' },
      ],
    ],
    [
      'all',
      { catchUpMax: 9 },
      ['01', '02', '03', '04', '05'].map((hour) => ({ at: `${hour}:00`, outcome: 'created' })),
    ],
  ] as const)(
    'of the slots that nobody was there to fire, catch-up "%s" %j makes up for those it says',
    async (catchUp, more, expected) => {
      await make({ catchUp, ...more })
      await fireAfter(5 * HOUR + 30 * MINUTE)
      expect(await history()).toMatchObject(expected as unknown as object[])
      expect((await store.schedules.get('s')).nextRunAt).toEqual(at('06:00:00'))
    },
  )

  it('a slot is late from two minutes on, not before', async () => {
    await make({ catchUp: 'skip' })
    await fireAfter(HOUR + 2 * MINUTE)
    await fireAfter(HOUR + 1)
    expect(await history()).toMatchObject([
      { at: '01:00', outcome: 'created' },
      { at: '02:00', outcome: 'missed' },
    ])
  })

  it('however many slots were missed, it is one row and the work of a moment', async () => {
    await make({ expression: '* * * * * *', catchUp: 'latest' })
    // Two minutes of slots are on time, the years before them are not.
    expect(await fireAfter(3 * 365 * 24 * HOUR)).toMatchObject({ fired: 121, more: false })
    expect((await history())[0]).toEqual({ at: '00:00', outcome: 'missed', slots: null })
  })

  it('@every counts from the slot before, however late that was fired', async () => {
    await make({ expression: '@every 10m' })
    await fireAfter(11 * MINUTE)
    expect((await store.schedules.get('s')).nextRunAt).toEqual(at('00:20:00'))
    await fireAfter(50 * MINUTE)
    expect((await store.schedules.get('s')).nextRunAt).toEqual(at('01:10:00'))
  })

  it('overlap "allow" makes another job while the one before runs', async () => {
    await make({ overlap: 'allow' })
    await fireAfter(HOUR)
    await fireAfter(HOUR)
    expect(await waiting()).toBe(2)
  })

  it('overlap "skip" makes none while the one before has not ended', async () => {
    await make({ overlap: 'skip' })
    await fireAfter(HOUR)
    const job = await claim()
    await fireAfter(HOUR)
    expect((await history())[1]).toMatchObject({ outcome: 'skipped' })
    expect((await store.schedules.explain('s')).map(({ code }) => code)).toEqual(['not_due', 'skipped'])
    await finish(job)
    await fireAfter(HOUR)
    expect((await history())[2]).toMatchObject({ outcome: 'created' })
  })

  it('overlap "queue_one" lets one firing wait for the job before to end, and no more than one', async () => {
    await make({ overlap: 'queue_one' })
    await fireAfter(HOUR)
    const job = await claim()
    await fireAfter(HOUR)
    await fireAfter(HOUR)
    expect((await history()).map(({ outcome }) => outcome)).toEqual(['created', 'waiting', 'skipped'])
    expect(await store.scheduler.next()).toMatchObject({ waiting: true })
    expect(await store.scheduler.fireDue()).toMatchObject({ fired: 0 })
    expect(await waiting()).toBe(0)
    await finish(job)
    expect(await store.scheduler.fireDue()).toMatchObject({ fired: 1 })
    expect((await history()).map(({ outcome }) => outcome)).toEqual(['created', 'created', 'skipped'])
    expect(await waiting()).toBe(1)
    expect(await store.scheduler.next()).toMatchObject({ waiting: false })
  })

  it('overlap "queue_one" lets the firing that waits go before the one of the next slot', async () => {
    await make({ overlap: 'queue_one' })
    await fireAfter(HOUR)
    const job = await claim()
    await fireAfter(HOUR)
    await finish(job)
    await fireAfter(HOUR)
    expect((await history()).map(({ at, outcome }) => [at, outcome])).toEqual([
      ['01:00', 'created'],
      ['02:00', 'created'],
      ['03:00', 'waiting'],
    ])
    await finish(await claim())
    expect(await store.scheduler.fireDue()).toMatchObject({ fired: 1 })
    expect((await history())[2]).toMatchObject({ outcome: 'created' })
    expect(await waiting()).toBe(1)
  })

  it('overlap "cancel_old" cancels the job before, waiting or running', async () => {
    await make({ overlap: 'cancel_old' })
    await fireAfter(HOUR)
    await fireAfter(HOUR)
    const [first, second] = await history()
    expect((await store.read.job(first?.jobId as number)).state).toBe('canceled')
    await store.work.start([await claim()])
    await fireAfter(HOUR)
    expect(await store.read.job(second?.jobId as number)).toMatchObject({
      state: 'running',
      cancelRequested: true,
    })
    expect((await history()).map(({ outcome }) => outcome)).toEqual(['created', 'created', 'created'])
  })

  it('in a strict queue, where only a worker ends a job, the job before goes on', async () => {
    await store.queues.create('q', { preset: 'pipeline' })
    await make({ overlap: 'cancel_old' })
    await fireAfter(HOUR)
    await fireAfter(HOUR)
    expect(await waiting()).toBe(2)
    expect((await store.schedules.history('s'))[0]?.note).toContain('strict')
  })

  it('jitter puts a slot off by its own share, the same for whoever looks, and by no more than it may', async () => {
    const shares = new Set<number>()
    for (let n = 0; n < 20; n++) {
      const name = `s${n}`
      const { nextSlot, nextRunAt } = await make({ name, jitterMs: 10 * MINUTE })
      expect(nextSlot).toEqual(at('01:00:00'))
      shares.add(nextRunAt.getTime() - nextSlot.getTime())
      expect((await store.schedules.get(name)).nextRunAt).toEqual(nextRunAt)
    }
    expect(shares.size).toBeGreaterThan(10)
    expect(Math.max(...shares)).toBeLessThanOrEqual(10 * MINUTE)
    // Not before its time, though the slot has come.
    const least = Math.min(...shares)
    expect(await fireAfter(HOUR + least - 1)).toMatchObject({ fired: 0 })
    expect(await fireAfter(1)).toMatchObject({ fired: 1 })
    expect(await fireAfter(10 * MINUTE)).toMatchObject({ fired: 19 })
  })
})
