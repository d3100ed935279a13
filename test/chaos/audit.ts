/**
 * What the run keeps in the database beside the engine: what handlers did (effect), what producers did in the same transaction as an
 * enqueue (ledger), and every row that came into or left one of the engine's places (move), written by triggers in the very transaction
 * that moved it. The engine knows nothing of it, so it cannot be kind to it.
 */

/** A row of the history. For one job the order of `seq` is the order in which things happened to it. */
export interface Move {
  readonly seq: number
  readonly at: Date
  readonly xid: string
  /** In or out. */
  readonly op: '+' | '-'
  readonly place: 'ready' | 'delayed' | 'held' | 'running' | 'attempt' | 'item'
  readonly state: string | null
  readonly job: number
  readonly attempt: number
  readonly lease: number | null
  readonly queue: number | null
  readonly due: Date | null
  /** Of an attempt that ends: how, and when its lease would have run out. */
  readonly outcome: string | null
  readonly expires: Date | null
  readonly final: boolean | null
}

const TABLES = `
create schema chaos;
create table chaos.effect (
  id bigint generated always as identity primary key, at timestamptz not null default clock_timestamp(),
  job bigint not null, attempt int not null, lease bigint not null, kind text not null, by text not null);
create table chaos.ledger (token text primary key);
create table chaos.lease_end (lease bigint not null, expires timestamptz not null);
create table chaos.move (
  seq bigint generated always as identity primary key, at timestamptz not null default clock_timestamp(),
  xid xid8 not null default pg_current_xact_id(), op text not null, place text not null, state text, job bigint not null,
  attempt int not null, lease bigint, queue int, due timestamptz, outcome text, expires timestamptz, final boolean);
`

/** The columns of each place that the history keeps: state, lease, due; the others are everywhere the same. */
const PLACES: Record<string, { state: string; lease: string; due: string }> = {
  ready: { state: "'queued'", lease: 'null', due: 'null' },
  delayed: { state: 'r.state::text', lease: 'null', due: 'r.due_at' },
  held: { state: 'r.state::text', lease: 'null', due: 'null' },
  running: { state: "'running'", lease: 'r.lease', due: 'null' },
}

function trigger(name: string, table: string, event: 'insert' | 'delete', body: string): string {
  const rows = event === 'insert' ? 'new' : 'old'
  return `
create function chaos.${name}() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  ${body};
  return null;
end $$;
create trigger ${name} after ${event} on holdfast.${table} referencing ${rows} table as r for each statement execute function chaos.${name}();
`
}

function placeTrigger(place: string, event: 'insert' | 'delete'): string {
  const { state, lease, due } = PLACES[place] as { state: string; lease: string; due: string }
  const op = event === 'insert' ? '+' : '-'
  return trigger(
    `${place}_${event}`,
    place,
    event,
    `insert into chaos.move (op, place, state, job, attempt, lease, queue, due)
    select '${op}', '${place}', ${state}, r.job_id, r.attempt, ${lease}, r.queue_id, ${due} from r`,
  )
}

const ENDED = trigger(
  'attempt_insert',
  'attempt',
  'insert',
  `insert into chaos.move (op, place, state, job, attempt, lease, queue, outcome, expires, final)
    select '+', 'attempt', r.moved_to::text, r.job_id, r.attempt, r.lease, r.queue_id, r.outcome::text,
      (select l.expires_at from holdfast.lease l where l.id = r.lease), r.final from r`,
)

/** A lease of a job's own goes in the very statement that ends the attempt. */
const LEASE = trigger(
  'lease_delete',
  'lease',
  'delete',
  'insert into chaos.lease_end (lease, expires) select r.id, r.expires_at from r',
)

const ITEM = trigger(
  'item_insert',
  'item',
  'insert',
  `insert into chaos.move (op, place, job, attempt, queue) select '+', 'item', r.job_id, r.attempt, r.queue_id from r`,
)

/** For the schema of that name; the engine's tables must be there. */
export function auditSql(schema = 'holdfast'): string {
  const triggers = Object.keys(PLACES).flatMap((place) => [
    placeTrigger(place, 'insert'),
    placeTrigger(place, 'delete'),
  ])
  return [TABLES, ...triggers, ENDED, LEASE, ITEM].join('').replaceAll('holdfast.', `${schema}.`)
}
