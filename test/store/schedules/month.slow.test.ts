// Five schedulers, each a process, for a month of the database's clock, while their connections are cut at random.
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Store } from 'holdfast/store'
import { expect, it, onTestFinished } from 'vitest'
import { parseExpression } from '../../../src/domain/schedule/expression.js'
import { nextSlots } from '../../../src/domain/schedule/slots.js'
import { zoneNamed } from '../../../src/domain/schedule/zone.js'
import { expectHealthy, pinnedStore, serverUrl, type World } from '../../support/world.js'

const HOUR = 3_600_000
const DIST = new URL('../../../dist/', import.meta.url).href
const PROGRAM = fileURLToPath(new URL('./scheduler-process.js', import.meta.url))
const SCHEDULERS = 5

// The month in which the clocks of Europe and of America change.
const START = new Date('2030-03-05T00:00:00Z')
const END = new Date('2030-04-05T00:00:00Z')
const EACH = { catchUp: 'all', catchUpMax: 1000 } as const
const SCHEDULES = [
  { name: 'often', expression: '20 * * * *', timeZone: 'UTC', ...EACH },
  { name: 'hourly', expression: '@hourly', timeZone: 'America/New_York', ...EACH },
  { name: 'gap', expression: '30 2 * * *', timeZone: 'Europe/Berlin', ...EACH },
  { name: 'rhythm', expression: '@every 7h', timeZone: 'UTC', ...EACH },
  { name: 'jittered', expression: '15 */3 * * *', timeZone: 'Asia/Tokyo', jitterMs: 20 * 60_000, ...EACH },
  { name: 'latest', expression: '45 * * * *', timeZone: 'UTC', catchUp: 'latest' },
  { name: 'skip', expression: '0 */2 * * *', timeZone: 'UTC', catchUp: 'skip' },
] as const

interface Told {
  readonly name: string
  readonly fired: number
  readonly passes: number
  readonly broken: number
  readonly failures: readonly string[]
}

interface Process {
  stop(): Promise<Told>
}

async function startScheduler(store: Store, name: string): Promise<Process> {
  const setup = { dist: DIST, url: serverUrl(), schema: store.schema, name }
  const child: ChildProcess = fork(PROGRAM, [JSON.stringify(setup)])
  const gone = new Promise((resolve) => child.once('exit', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await gone
  })
  const messages: unknown[] = []
  const hear = () =>
    new Promise<unknown>((resolve, reject) => {
      child.once('message', resolve)
      child.once('exit', () => reject(new Error(`${name} has gone`)))
    })
  messages.push(await hear())
  return {
    async stop() {
      const told = hear()
      child.send('stop')
      return (await told) as Told
    },
  }
}

/** Cuts the connection of one of the schedulers, whatever it is in the middle of; answers whether there was one. */
async function cutOne(store: Store, who: string): Promise<boolean> {
  const rows = await store.database.query<{ cut: boolean }>(
    'select pg_terminate_backend(pid) as cut from pg_stat_activity where application_name = $1 order by random() limit 1',
    [who],
  )
  return rows[0]?.cut === true
}

/** The same every time, so that a failure can be looked into. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}

async function liveThrough(store: World, next: () => number): Promise<{ cuts: number; steps: number }> {
  let [cuts, steps] = [0, 0]
  for (let now = START.getTime(); now < END.getTime(); steps++) {
    // Minutes, hours, and now and then an outage of a day.
    const step = next() < 0.03 ? 26 * HOUR : next() < 0.5 ? next() * HOUR : next() * 6 * HOUR
    now = Math.min(END.getTime(), now + Math.ceil(step))
    await store.clock.set(new Date(now))
    for (let n = 0; n < 2; n++)
      if (await cutOne(store, `scheduler-${Math.floor(next() * SCHEDULERS)}`)) cuts++
    // Time goes on when somebody has seen it: half of the time all is fired by then, else some of it is still to be.
    if (next() < 0.5) await untilNothingIsDue(store)
  }
  await untilNothingIsDue(store)
  return { cuts, steps }
}

async function untilNothingIsDue(store: Store): Promise<void> {
  for (;;) {
    const [row] = await store.database.query<{ n: number }>(
      'select count(*)::int as n from holdfast.due_schedules()',
    )
    if (row?.n === 0) return
  }
}

it('every slot of a month is fired exactly once, or passed by the rule of its schedule, by five processes whose connections are cut', async () => {
  const store = await pinnedStore()
  await store.clock.set(START)
  for (const schedule of SCHEDULES) await store.schedules.create({ ...schedule, kind: 'k', queue: 'q' })
  const names = Array.from({ length: SCHEDULERS }, (_, n) => `scheduler-${n}`)
  const processes = await Promise.all(names.map((name) => startScheduler(store, name)))
  const { cuts, steps } = await liveThrough(store, random(42))
  const told = await Promise.all(processes.map((process) => process.stop()))

  expect(cuts).toBeGreaterThan(50)
  expect(told.flatMap(({ failures }) => failures)).toEqual([])
  // Each of them had its share; none did it all.
  for (const { name, fired } of told) expect(fired, name).toBeGreaterThan(0)
  console.info({ steps, cuts, told: told.map(({ fired, passes, broken }) => ({ fired, passes, broken })) })

  for (const { name, expression, timeZone, catchUp } of SCHEDULES) {
    const { id } = await store.schedules.get(name)
    const firings = await store.database.query<{
      slot: Date
      last: Date
      slots: number
      outcome: string
      jobs: number
    }>(
      `select f.slot, f.last_slot as last, f.slots, f.outcome, (select count(*) from holdfast.jobs j where j.id = f.job_id)::int as jobs
       from holdfast.firings f where f.schedule_id = $1 order by f.slot`,
      [id],
    )
    const expected = slotsOf(expression, timeZone)
    const fired = firings.filter(({ outcome }) => outcome === 'created')
    expect(fired.map(({ jobs }) => jobs)).toEqual(fired.map(() => 1))
    if (catchUp === 'all') {
      expect(
        firings.map(({ slot }) => slot),
        name,
      ).toEqual(expected)
      expect(fired).toHaveLength(expected.length)
      continue
    }
    // Fired or missed: each slot is in exactly one row.
    expect(
      firings.reduce((sum, { slots }) => sum + slots, 0),
      name,
    ).toBe(expected.length)
    const covered = expected.map(
      (slot) => firings.filter((row) => row.slot <= slot && slot <= row.last).length,
    )
    expect(covered).toEqual(expected.map(() => 1))
    expect(fired.length, name).toBeGreaterThan(0)
    expect(firings.some(({ outcome }) => outcome === 'missed')).toBe(true)
  }
  const [jobs] = await store.database.query(
    `select count(*)::int as jobs, count(distinct job_id)::int as fired from holdfast.jobs j
     full join (select job_id from holdfast.firings where job_id is not null) f on f.job_id = j.id`,
  )
  expect(jobs).toMatchObject({ jobs: (jobs as { fired: number }).fired })
  await expectHealthy(store)
})

function slotsOf(expression: string, timeZone: string): Date[] {
  const slots = nextSlots(parseExpression(expression), zoneNamed(timeZone), START, 1500)
  return slots.filter((slot) => slot <= END)
}
