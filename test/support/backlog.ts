/**
 * A backlog, written straight into the places: a million rows in seconds. Only as many of them have a row in `job` as a verb can
 * reach from the front, and the last one; a small backlog is therefore whole and breaks no rule of the schema.
 */
import { randomBytes } from 'node:crypto'
import { type Database, migrateUp, openPglite, openPostgres, type Store, storeOn } from 'holdfast/store'
import { narrow } from '../store/history/narrow.js'
import { PATIENTLY, tablesOf } from './plans.js'
import { inDatabase } from './template.js'
import { type Driver, postgresUrl } from './world.js'

const WITHIN_REACH = 5_000

const QUEUES = {
  flat: ['catalog', { order: 'fifo', recordStarts: false }],
  levels: ['default', {}],
  lanes: ['target', {}],
  returned: ['catalog', { order: 'fifo', recordStarts: false }],
  empty: ['default', {}],
  replacing: ['catalog', { order: 'fifo', dedup: 'replace' }],
} as const
export type QueueName = keyof typeof QUEUES

/** history: ended · flat, levels: ready in one level or in all · waiting: behind `head`, which blocks its target ·
 * running: half of them heads of targets with one `behind` each, half with a key · returned: ready again after a release. */
const PLACES = [
  'history',
  'flat',
  'levels',
  'delayed',
  'waiting',
  'running',
  'behind',
  'returned',
  'head',
] as const
export type Place = (typeof PLACES)[number]

export interface Backlog {
  readonly store: Store
  readonly queue: Readonly<Record<QueueName, number>>
  readonly rows: number
  count(place: Place): number
  /** The id of the i-th job of a place, from 1. */
  id(place: Place, i: number): number
  last(place: Place): number
}

/**
 * In a database of its own, because dead rows stay while any transaction of the same database is older than they are; with one
 * connection, so that every call meets the plans that earlier calls left in the session.
 */
export async function emptyBacklog(rows: number, driver: Driver = 'postgres'): Promise<Backlog> {
  const database = driver === 'pglite' ? await openPglite() : await newDatabase()
  await migrateUp(database, 'holdfast')
  const store = storeOn(database)
  // One range for all of history: how many there are is not what is tested here.
  await narrow(store, 100_000_000)
  await store.database.query('select holdfast.make_partitions(4)')
  // Unlogged, because WAL would double the time it takes to fill; without autovacuum, because statistics are what is tested.
  // A table that others refer to cannot be unlogged while they are not; keys and sessions stay as they are.
  const tables = (await tablesOf(store)).filter((table) => !/\b(api_key|web_session)$/.test(table))
  await database.script(
    tables
      .map(
        (table) => `alter table ${table} set unlogged; alter table ${table} set (autovacuum_enabled = off);`,
      )
      .join('\n'),
  )
  const queue = {} as Record<QueueName, number>
  for (const [name, [preset, policy]] of Object.entries(QUEUES)) {
    queue[name as QueueName] = await store.queues.create(name, { preset, policy })
  }
  return sized({ store, queue }, rows)
}

async function newDatabase(): Promise<Database> {
  const name = `plans_${randomBytes(6).toString('hex')}`
  await inServer(`create database ${name}`)
  return openPostgres({ url: inDatabase(postgresUrl(), name), connections: 1 })
}

async function inServer(text: string): Promise<void> {
  const server = openPostgres({ url: postgresUrl(), connections: 1 })
  try {
    await server.script(text, PATIENTLY)
  } finally {
    await server.close()
  }
}

/** The same schema with another number of rows in mind. */
export function sized({ store, queue }: Pick<Backlog, 'store' | 'queue'>, rows: number): Backlog {
  const running = Math.max(rows / 10, Math.min(rows, 4_000))
  const counts: Record<Place, number> = {
    history: rows,
    flat: rows,
    levels: Math.max(rows / 4, Math.min(rows, 5_000)),
    delayed: rows,
    waiting: rows,
    running,
    behind: running / 2,
    returned: Math.min(rows, 2_000),
    head: 1,
  }
  const count = (place: Place) => counts[place]
  const id = (place: Place, i: number) => PLACES.indexOf(place) * rows + i
  return { store, queue, rows, count, id, last: (place) => id(place, count(place)) }
}

/** Another session: it has no plans yet and makes them from the statistics of now. */
export async function anotherSession(backlog: Backlog): Promise<Backlog> {
  const database = openPostgres({ url: inDatabase(postgresUrl(), await nameOf(backlog)), connections: 1 })
  return { ...backlog, store: storeOn(database) }
}

async function nameOf({ store }: Backlog): Promise<string> {
  const [row] = await store.database.query<{ name: string }>('select current_database() as name')
  return row?.name as string
}

export async function fill(backlog: Backlog): Promise<void> {
  const parts = [history, ready, delayed, blockedTarget, running, returned, sequences]
  for (const part of parts) await backlog.store.database.script(part(backlog), PATIENTLY)
}

/**
 * The same in two thirds of the time: indexes and checks are taken off and put back. Not for sessions that shall keep their plans,
 * which go with the indexes.
 */
export async function fillAtOnce(backlog: Backlog): Promise<void> {
  const { database, schema } = backlog.store
  const rules = await database.query<{ off: string; on: string }>(
    `select format('alter table %s drop constraint %I', c.conrelid::regclass, c.conname) as off,
       format('alter table %s add constraint %I %s%s', c.conrelid::regclass, c.conname, pg_get_constraintdef(c.oid),
         case c.contype when 'c' then ' not valid' end) as on
     from pg_constraint c
     where c.connamespace = $1::regnamespace and c.contype in ('p', 'u', 'c') and c.coninhcount = 0
       and not exists (select from pg_constraint f where f.contype = 'f' and f.confrelid = c.conrelid)
       and c.conrelid <> 'holdfast.queue'::regclass
     union all
     select format('drop index %s', i.indexrelid::regclass), pg_get_indexdef(i.indexrelid)
     from pg_index i join pg_class k on k.oid = i.indexrelid
     where k.relnamespace = $1::regnamespace and not k.relispartition and not exists (select from pg_constraint c where c.conindid = i.indexrelid)`,
    [schema],
  )
  await database.script(rules.map(({ off }) => off).join(';'), PATIENTLY)
  await fill(backlog)
  await database.script(
    `set maintenance_work_mem = '256MB'; ${rules.map(({ on }) => on).join(';')}`,
    PATIENTLY,
  )
}

/** Empties the places row by row, as work does; TRUNCATE would also throw away the plans of every session. */
export async function clear({ store }: Backlog): Promise<void> {
  const tables = 'job ready delayed held running lease worker attempt dedup lane progress event'.split(' ')
  await store.database.script(tables.map((table) => `delete from holdfast.${table};`).join('\n'), PATIENTLY)
}

export async function drop(backlog: Backlog): Promise<void> {
  const name = await nameOf(backlog)
  await backlog.store.close()
  if (backlog.store.database.driver === 'postgres') await inServer(`drop database ${name} with (force)`)
}

const LIVE = 'job_id, queue_id, attempt, interruptions, priority, failures, losses, keyed'

/** Numbered rows of a place: i from 1 and the job's id. */
function series({ id, count }: Backlog, place: Place): string {
  return `(select i, ${id(place, 0)} + i as id from generate_series(1, ${count(place)}) i) s`
}

function jobs(
  backlog: Backlog,
  place: Place,
  queueId: string | number,
  keyAndTarget = 'null, null',
  all = false,
) {
  return `insert into holdfast.job (id, created_at, queue_id, initial_priority, kind, input, key, target)
    select id, '2020-01-01', ${queueId}, 0, 'work', '{}', ${keyAndTarget} from ${series(backlog, place)}
    where ${all} or i <= ${WITHIN_REACH} or i = ${backlog.count(place)};`
}

function attempts(backlog: Backlog, place: Place, queueId: number, how: string): string {
  return `insert into holdfast.attempt (job_id, lease, claimed_at, finished_at, attempt, queue_id, worker_id, priority, failures, outcome, moved_to, final)
    select id, 1, '2020-01-01', '2020-01-02', 1, ${queueId}, 1, 0, 0, ${how} from ${series(backlog, place)};`
}

function history(backlog: Backlog): string {
  const { queue, rows } = backlog
  return `insert into holdfast.worker (name, created_at) select 'w' || i, '2020-01-01' from generate_series(1, ${rows / 10}) i;
    ${jobs(backlog, 'history', queue.flat, 'null, null', true)}
    ${attempts(backlog, 'history', queue.flat, "'succeeded', 'succeeded', true")}
    insert into holdfast.event (at, type, job_id) select '2020-01-01', 'noted', id from ${series(backlog, 'history')} where i % 4 = 0;`
}

function ready(backlog: Backlog): string {
  const { queue, rows } = backlog
  const keyed = `i <= ${rows / 10}`
  return `${jobs(backlog, 'flat', queue.flat, `case when ${keyed} then 'key ' || id end, null`)}
    insert into holdfast.ready (${LIVE}, level) select id, ${queue.flat}, 0, 0, 0, 0, 0, ${keyed}, 0 from ${series(backlog, 'flat')};
    insert into holdfast.dedup (queue_id, key, job_id) select ${queue.flat}, 'key ' || id, id from ${series(backlog, 'flat')} where ${keyed};
    ${jobs(backlog, 'levels', queue.levels, 'null, null', true)}
    insert into holdfast.ready (${LIVE}, level)
      select id, ${queue.levels}, 0, 0, 100 - i % 101, 0, 0, false, i % 101 from ${series(backlog, 'levels')};`
}

function delayed(backlog: Backlog): string {
  return `${jobs(backlog, 'delayed', backlog.queue.flat)}
    insert into holdfast.delayed (${LIVE}, state, due_at)
      select id, ${backlog.queue.flat}, 0, 0, 0, 0, 0, false, 'scheduled', timestamptz '2099-01-01' + i * interval '1 s'
      from ${series(backlog, 'delayed')};`
}

function blockedTarget(backlog: Backlog): string {
  const { queue, id } = backlog
  return `${jobs(backlog, 'head', queue.lanes, "null, 'blocked'")}
    ${jobs(backlog, 'waiting', queue.lanes, "null, 'blocked'")}
    ${attempts(backlog, 'head', queue.lanes, "'failed', 'errored', false")}
    insert into holdfast.lane (id, head, queue_id, target) overriding system value
      values (1024, ${id('head', 1)}, ${queue.lanes}, 'blocked');
    insert into holdfast.held (${LIVE}, lane, ord, state, since, reason)
      values (${id('head', 1)}, ${queue.lanes}, 1, 0, 0, 1, 0, false, 1024, 1, 'errored', '2020-01-01', 'boom');
    insert into holdfast.held (${LIVE}, lane, ord, state, since)
      select id, ${queue.lanes}, 0, 0, 0, 0, 0, false, 1024, 1 + i, 'waiting', '2020-01-01' from ${series(backlog, 'waiting')};`
}

/** Under a hundred leases of workers. */
function running(backlog: Backlog): string {
  const { queue, count, rows } = backlog
  const heads = `i <= ${count('behind')}`
  const queueId = `case when ${heads} then ${queue.lanes} else ${queue.flat} end`
  const target = `case when ${heads} then 'target ' || i end`
  return `insert into holdfast.lease (id, worker_id, lease_ms, opened_at, heartbeat_at, expires_at, server_started, opened_xid)
      select i, 1, 30000, '2020-01-01', '2020-01-01', '2099-01-01', pg_postmaster_start_time(), pg_current_xact_id() from generate_series(1, 100) i;
    ${jobs(backlog, 'running', queueId, `case when not ${heads} then 'run ' || id end, ${target}`, true)}
    ${jobs(backlog, 'behind', queue.lanes, `null, ${target}`, true)}
    insert into holdfast.lane (id, head, queue_id, target) overriding system value
      select (1 + i) * 1024, id, ${queue.lanes}, 'target ' || i from ${series(backlog, 'running')} where ${heads};
    insert into holdfast.running (${LIVE}, lane, ord, lease, claimed_at, worker_id, own_lease)
      select id, ${queueId}, 1, 0, 0, 0, 0, not ${heads}, case when ${heads} then (1 + i) * 1024 end, case when ${heads} then i end, 1 + i % 100,
        '2020-01-02', 1, false
      from ${series(backlog, 'running')};
    insert into holdfast.dedup (queue_id, key, job_id)
      select ${queue.flat}, 'run ' || id, id from ${series(backlog, 'running')} where not ${heads};
    insert into holdfast.held (${LIVE}, lane, ord, state, since)
      select id, ${queue.lanes}, 0, 0, 0, 0, 0, false, (1 + i) * 1024, ${rows} + i + 1, 'waiting', '2020-01-01' from ${series(backlog, 'behind')};`
}

function returned(backlog: Backlog): string {
  const { queue } = backlog
  return `${jobs(backlog, 'returned', queue.returned)}
    ${attempts(backlog, 'returned', queue.returned, "'released', 'queued', false")}
    insert into holdfast.ready (${LIVE}, level, since)
      select id, ${queue.returned}, 1, 1, 0, 0, 0, false, 0, '2020-01-02' from ${series(backlog, 'returned')};
    insert into holdfast.progress (job_id, last_progress_at)
      select id, timestamptz '2020-01-02' from ${series(backlog, 'returned')}
      union all select id, '2020-01-02' from ${series(backlog, 'running')};`
}

function sequences({ rows, id, count }: Backlog): string {
  return `select setval('holdfast.job_id_seq', ${id('head', rows)}),
    setval('holdfast.lane_ord_seq', ${2 * rows + count('running')}),
    setval(pg_get_serial_sequence('holdfast.lane', 'id'), ${(count('behind') + 1) * 1024});`
}
