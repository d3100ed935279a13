/** What a call costs in pages looked at and WAL written, never in time, and the statistics the planner is given. */
import type { Database, Store } from 'holdfast/store'
import { expect } from 'vitest'

/** Filling and vacuuming a million rows takes longer than any call of the library may. */
export const PATIENTLY = { deadlineMs: 120_000 }

export interface Call {
  readonly text: string
  readonly values?: readonly unknown[]
  /** What has to be so for this call: done first, in the same transaction, and not counted. */
  readonly before?: string
}

export interface Cost {
  readonly buffers: number
  readonly walBytes: number
  /** Whether the transaction had to take an id, which it does at its first write. */
  readonly wrote: boolean
}

/**
 * The pages a call looks at, in its nested statements too, in memory or not. Counted in two ways, each of which counts a little
 * too much, so the lesser of them holds: what the statement touched, which has pages of the catalog in it whenever a neighbour's
 * DDL has emptied the caches of every session; and what was fetched of our own tables and indexes, which has the statement's
 * planning in it. The session is warm: a call before has made its plans. All of it is rolled back, by hand, because `transaction`
 * gives up the connection, and with it the plans, after an error.
 */
export async function costOf(store: Store, call: Call): Promise<Cost> {
  const measure = () => undone(store.database, () => explained(store, call))
  await measure()
  return measure()
}

/** The least of three: a neighbour's DDL makes a session plan anew, and that would be counted too. */
export async function leastCost(store: Store, call: Call): Promise<Cost> {
  const costs = [await costOf(store, call), await costOf(store, call), await costOf(store, call)]
  return costs.reduce((least, cost) => (cost.buffers < least.buffers ? cost : least))
}

async function undone<T>(database: Database, work: () => Promise<T>): Promise<T> {
  await database.script('begin')
  try {
    return await work()
  } finally {
    await database.script('rollback')
  }
}

async function explained(store: Store, { text, values = [], before }: Call): Promise<Cost> {
  const { database } = store
  if (before !== undefined) await database.script(before, PATIENTLY)
  const fetchedBefore = await pagesFetched(store)
  const [row] = await database.query<{ 'QUERY PLAN': { Plan: Record<string, number> }[] }>(
    `explain (analyze, buffers, wal, timing off, summary off, format json) ${text}`,
    values,
    PATIENTLY,
  )
  const fetched = (await pagesFetched(store)) - fetchedBefore
  const [transaction] = await database.query<{ wrote: boolean }>(
    'select pg_current_xact_id_if_assigned() is not null as wrote',
  )
  const plan = row?.['QUERY PLAN'][0]?.Plan ?? {}
  const touched = (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0)
  return {
    buffers: Math.min(touched, fetched),
    walBytes: plan['WAL Bytes'] ?? 0,
    wrote: transaction?.wrote === true,
  }
}

/** What this session has counted since it last reported its statistics, which it never does within a transaction. */
async function pagesFetched({ database, schema }: Store): Promise<number> {
  const [row] = await database.query<{ pages: number }>(
    `select coalesce(sum(pg_stat_get_xact_blocks_fetched(r.oid)), 0)::int as pages
       from pg_class c
       cross join lateral (values (c.oid), (c.reltoastrelid)) r (oid)
      where c.relnamespace = $1::regnamespace and c.relkind in ('r', 'i')`,
    [schema],
  )
  return row?.pages ?? 0
}

/**
 * Ten times over. No transaction id is ever taken; and WAL is the exception, not the rule, because Postgres may tidy a page
 * (of the catalog, after a neighbour's DDL) in passing whoever reads it.
 */
export async function expectNothingWritten(store: Store, call: Call): Promise<void> {
  let logged = 0
  for (let times = 0; times < 10; times += 1) {
    const { walBytes, wrote } = await costOf(store, call)
    expect(wrote).toBe(false)
    if (walBytes > 0) logged += 1
  }
  expect(logged).toBeLessThanOrEqual(2)
}

/** Statistics of this very moment. */
export async function analyze(store: Store): Promise<void> {
  await store.database.script(`analyze ${(await tablesOf(store)).join(', ')}`, PATIENTLY)
}

/** Takes dead rows away; the statistics of columns stay as they were. */
export async function vacuum(store: Store): Promise<void> {
  await store.database.script(`vacuum ${(await tablesOf(store)).join(', ')}`, PATIENTLY)
}

/** Those that refer to others first: only then can the others be made unlogged. */
export async function tablesOf({ database, schema }: Store): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c where c.relkind = 'r' and c.relnamespace = $1::regnamespace
     order by exists (select from pg_constraint f where f.conrelid = c.oid and f.contype = 'f') desc, 1`,
    [schema],
  )
  return rows.map(({ name }) => name)
}

export async function pagesOf({ database }: Store, table: string): Promise<number> {
  const [row] = await database.query<{ pages: number }>(
    `select (pg_relation_size('holdfast.${table}') / 8192)::int as pages`,
  )
  return row?.pages ?? 0
}
