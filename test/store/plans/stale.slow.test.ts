/**
 * The hot verbs when the planner is wrong. A queue drained overnight leaves statistics that say "empty", and every worker that
 * polls then makes its plans from them; in the morning the backlog comes.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  anotherSession,
  type Backlog,
  clear,
  drop,
  emptyBacklog,
  fill,
  fillAtOnce,
  sized,
} from '../../support/backlog.js'
import { countLeases } from '../../support/leases.js'
import { analyze, costOf, vacuum } from '../../support/plans.js'
import { VERBS } from './verbs.js'

const ROWS = 100_000

describe('with statistics from before the backlog came', () => {
  let backlog: Backlog
  let newcomer: Backlog

  beforeAll(async () => {
    backlog = await emptyBacklog(ROWS)
    await drain(backlog)
    // The session makes its plans while there is next to nothing, and keeps them: no statistics come in between.
    const handful = sized(backlog, 20)
    await fill(handful)
    for (const verb of VERBS) await costOf(handful.store, verb.on(handful))
    await clear(handful)
    await fill(backlog)
    newcomer = await anotherSession(backlog)
  })
  afterAll(async () => {
    await newcomer.store.close()
    await drop(backlog)
  })

  it.each(VERBS)('$name touches few pages in a session whose plans are as old', async ({ most, on }) => {
    expect((await costOf(backlog.store, on(backlog))).buffers).toBeLessThanOrEqual(most)
  })

  it.each(VERBS)('$name touches few pages in a new session', async ({ most, on }) => {
    expect((await costOf(newcomer.store, on(newcomer))).buffers).toBeLessThanOrEqual(most)
  })
})

describe('with statistics of a backlog that is gone', () => {
  let backlog: Backlog
  let handful: Backlog

  beforeAll(async () => {
    backlog = await emptyBacklog(ROWS)
    await fillAtOnce(backlog)
    await analyze(backlog.store)
    await clear(backlog)
    await vacuum(backlog.store)
    handful = sized(backlog, 2_000)
    await fill(handful)
  })
  afterAll(() => drop(backlog))

  it.each(VERBS)('$name touches few pages', async ({ most, on }) => {
    expect((await costOf(handful.store, on(handful))).buffers).toBeLessThanOrEqual(most)
  })
})

/** The others refuse a job that does not exist. */
const ON_NOTHING = VERBS.filter(({ name }) =>
  /^(claim|finish|start|promote|reclaim|settle|renew|enqueue|state)/.test(name),
)

describe('on tables that never held anything', () => {
  let backlog: Backlog

  beforeAll(async () => {
    backlog = await idle()
  })
  afterAll(() => drop(backlog))

  it.each(ON_NOTHING)('$name touches few pages', async ({ most, on }) => {
    expect((await costOf(backlog.store, on(backlog))).buffers).toBeLessThanOrEqual(most)
  })
})

describe('in a session that began on tables that had never held anything', () => {
  let backlog: Backlog

  beforeAll(async () => {
    backlog = await idle()
    for (const verb of ON_NOTHING) await costOf(backlog.store, verb.on(backlog))
    await clear(backlog)
    await fill(backlog)
  })
  afterAll(() => drop(backlog))

  it.each(ON_NOTHING)('$name touches few pages once the backlog is there', async ({ most, on }) => {
    expect((await costOf(backlog.store, on(backlog))).buffers).toBeLessThanOrEqual(most)
  })
})

/** A worker's lease and nothing else, as after an installation. */
async function idle(): Promise<Backlog> {
  const backlog = await emptyBacklog(ROWS)
  await analyze(backlog.store)
  await countLeases(backlog.store.database)
  await backlog.store.work.openLease('w7', 30_000)
  // Above those that a backlog is filled with.
  await countLeases(backlog.store.database, 1_000_000)
  return backlog
}

/** Fills and empties it: pages without rows, and statistics that say so. */
async function drain(backlog: Backlog): Promise<void> {
  await fillAtOnce(backlog)
  await clear(backlog)
  await vacuum(backlog.store)
  await analyze(backlog.store)
}
