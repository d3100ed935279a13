/** The hot verbs on a million rows in the places they read, with statistics that are true. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Backlog, drop, emptyBacklog, fillAtOnce } from '../../support/backlog.js'
import { analyze, costOf, pagesOf } from '../../support/plans.js'
import { VERBS } from './verbs.js'

let small: Backlog
let large: Backlog

beforeAll(async () => {
  small = await emptyBacklog(5_000)
  large = await emptyBacklog(1_000_000)
  for (const backlog of [small, large]) {
    await fillAtOnce(backlog)
    await analyze(backlog.store)
  }
})
afterAll(async () => {
  await drop(small)
  await drop(large)
})

it('the backlog these tests fill is one the verbs could have made', async () => {
  expect(await small.store.read.violations()).toEqual([])
})

describe('touches a bounded number of pages, a million rows or not', () => {
  it.each(VERBS)('$name', async ({ most, batch, on }) => {
    const little = await costOf(small.store, on(small))
    const much = await costOf(large.store, on(large))
    expect(much.buffers).toBeLessThanOrEqual(most)
    if (batch) expect(much.buffers).toBeLessThanOrEqual(1.5 * little.buffers + 100)
  })
})

describe('a sweep of workers that died', () => {
  it('reads the running jobs a fixed number of times, however many leases have expired', async () => {
    const { store } = large
    const swept = await costOf(store, {
      text: 'select holdfast.reclaim(100)',
      before: "update holdfast.lease set expires_at = '2020-01-01' where id <= 50",
    })
    // Once for jobs of the expired leases, once for jobs without a lease, once for leases that hold nothing more.
    expect(swept.buffers).toBeLessThanOrEqual(3 * (await pagesOf(store, 'running')) + 100 * 80)
  })
})
