/**
 * Mistakes made on purpose, each a switch of a run: a harness that does not find them proves nothing. Most are changes to the SQL of the
 * private database; the text they replace must be there, so that a mutant does not quietly become the real thing.
 */
import { pins } from '../../src/database/sql-files.js'
import { changed } from '../support/sql.js'

interface Change {
  /** Below sql/, without the ending. */
  readonly name: string
  readonly from: string | RegExp
  readonly to: string
}

export interface Mutant {
  readonly mistake: string
  /** The check that is to find it, by its name in check/all.ts. */
  readonly check: string
  readonly changes?: readonly Change[]
  /** The producers note an answer before they have it. */
  readonly ackEarly?: boolean
}

const PAIR = ' and r.attempt = i.attempt and r.lease = i.lease'
const PAIR_OF_ONE = ' and r.attempt = p_attempt and r.lease = p_lease'

const PAIR_OF_SOME = ` and r.attempt = p_attempts[width_bucket(r.job_id, p_jobs)]
      and r.lease = p_leases[width_bucket(r.job_id, p_jobs)]`

const BY_STATE: readonly Change[] = [
  { name: 'end_attempts', from: PAIR, to: '' },
  { name: 'succeed', from: PAIR_OF_SOME, to: '' },
  { name: 'complete', from: PAIR_OF_ONE, to: '' },
  { name: 'report', from: PAIR_OF_ONE, to: '' },
  { name: 'start', from: PAIR, to: '' },
]

const TAKE_WHAT_IS_READY = `begin
  with gone as (delete from holdfast.ready x where x.job_id = any (p_jobs) returning x.*)
  insert into holdfast.running (job_id, lane, ord, lease, claimed_at, queue_id, attempt, interruptions, worker_id, priority, failures, losses,
    keyed, own_lease)
  select g.job_id, g.lane, g.ord, p_leases[1], holdfast.now(), g.queue_id, g.attempt, g.interruptions, 1, g.priority, g.failures, g.losses,
    g.keyed, false from gone g;
`

const SELECT_THEN_INSERT = `begin
  select array_agg((r.n, r.id, d.job_id, r.queue_id, r.priority, r.pending, r.kind, r.input, r.key, r.target, r.subject,
      r.run_at, r.max_retries, r.timeout_ms, r.token_limit, r.item_goal, r.collection, r.created_by, r.trace, r.labels,
      r.parent_id, r.retry_of)::holdfast.new_job order by r.n)
    into v_rows
    from unnest(v_rows) r left join holdfast.dedup d on d.queue_id = r.queue_id and d.key = r.key;
  perform pg_sleep(0.02);
  insert into holdfast.dedup (queue_id, key, job_id)
    select r.queue_id, r.key, min(r.id) from unnest(v_rows) r where r.key is not null and r.taken_by is null group by r.queue_id, r.key
    on conflict (queue_id, key) do nothing;
  return v_rows;
end $$;
`

const IN_LIMIT = `cut as (
    delete from holdfast.ready x where x.queue_id = any (p_queues) and x.job_id in (
      select y.job_id from holdfast.ready y
      where y.queue_id = any (array(select q.id from holdfast.queue q where q.id = any (p_queues) and q.paused_at is null and q.limited = p_limited))
      order by y.level, y.job_id limit least(p_limit, p_per_queue) for update skip locked)
    returning x.*),
  deleted as materialized (
    select c.*, q.tenant, c.level * 4 + (c.since is null)::int * 2 + (q.timeout_ms is not null)::int as mark, s.own_ms,
      case when s.own_ms is not null then holdfast.new_lease_id() end as own_lease
    from cut c join holdfast.queue q on q.id = c.queue_id
    cross join lateral (select case when q.renewed_by <> 'heartbeat' or p_lease is null
      then coalesce(p_lease_ms, q.lease_ms, (holdfast.setting_number('LEASE_SEC_DEFAULT') * 1000)::int) end as own_ms) s),`

/** A plan that Postgres is free to choose: the subquery is asked again for every row, and each time says the next ones. */
const ITS_PLAN = `set search_path = pg_catalog, pg_temp
set enable_hashagg = off
set enable_sort = off
set enable_material = off`

const STALE = 'a stale pair never writes'
const TIMES = 'leases and due times are respected'
const RENEWALS = 'a swept lease is never renewed, a revocation names its attempt'

export const MUTANTS: Readonly<Record<string, Mutant>> = {
  'no-fence': {
    mistake: 'finish does not check who holds the job, nor that it runs',
    check: STALE,
    changes: [
      ...BY_STATE,
      { name: 'finish', from: /^begin\n/m, to: TAKE_WHAT_IS_READY },
      { name: 'finish_succeeded', from: /^begin\n/m, to: TAKE_WHAT_IS_READY },
    ],
  },
  'fence-by-state': {
    mistake: 'finish checks that the job runs, but not who holds it',
    check: STALE,
    changes: BY_STATE,
  },
  'sweep-by-id': {
    mistake: 'the sweep notes which jobs were lost, and takes them by their id a moment later',
    check: TIMES,
    changes: [
      { name: 'reclaim', from: 'limit p_limit for update skip locked) x;', to: 'limit p_limit) x;' },
      {
        name: 'reclaim',
        from: /(?<=r\.lease = any \(v_shared\)\n +)limit p_limit for update skip locked\) t;/,
        to: 'limit p_limit) t;',
      },
      {
        name: 'reclaim',
        from: '    v_count := cardinality(v_jobs);',
        to: `    perform pg_sleep(0.2);
    select array_agg(r.job_id), array_agg(r.attempt), array_agg(r.lease) into v_jobs, v_attempts, v_leases
      from holdfast.running r where r.job_id = any (v_jobs);
    v_count := coalesce(cardinality(v_jobs), 0);
    if v_jobs is null then return 0; end if;`,
      },
    ],
  },
  'claim-in-limit': {
    mistake: 'a claim is `where id in (select … limit n for update skip locked)`',
    check: 'no more run than may',
    changes: [
      {
        name: 'claim_from',
        from: /candidate as materialized \([\s\S]*?deleted as \([\s\S]*?as mark\),/,
        to: IN_LIMIT,
      },
      { name: 'claim_from', from: 'set search_path = pg_catalog, pg_temp', to: ITS_PLAN },
    ],
  },
  'worker-clock': {
    mistake: 'leases and due times use the clock of the caller',
    check: TIMES,
    changes: [
      {
        name: 'now',
        from: 'pg_catalog.clock_timestamp()',
        to: "pg_catalog.clock_timestamp() + coalesce(nullif(pg_catalog.current_setting('chaos.skew', true), ''), '0')::interval",
      },
    ],
  },
  'lane-not-locked': {
    mistake: 'jobs are put in line at a target, and let go, without its lock',
    check: 'nothing the engine itself calls a violation',
    changes: [
      {
        name: 'settle_lanes',
        from: 'order by l.id for update of l skip locked) k;',
        to: 'order by l.id) k;',
      },
      { name: 'place_arrivals', from: ' for update of l skip locked) k;', to: ') k;' },
      {
        name: 'place_in_lanes',
        from: 'on conflict (queue_id, target) do update set head = 0 where false',
        to: 'on conflict (queue_id, target) do nothing',
      },
      {
        name: 'place_in_lanes',
        from: '  return holdfast.append_to_lanes(',
        to: '  perform pg_sleep(0.15);\n  return holdfast.append_to_lanes(',
      },
    ],
  },
  'key-select-then-insert': {
    mistake: 'whether a key is taken is looked up first, and written down after',
    check: 'one live job per key',
    changes: [{ name: 'take_keys', from: /^begin\n[\s\S]*$/m, to: SELECT_THEN_INSERT }],
  },
  'async-claim': {
    mistake: 'a claim does not wait for the disk',
    check: 'a triple (job, attempt, lease) begins once, under a claim that lasts',
    changes: [
      {
        name: 'claim_batch',
        from: /^begin\n/m,
        to: "begin\n  perform set_config('synchronous_commit', 'off', true);\n",
      },
      {
        name: 'claim',
        from: /^begin\n/m,
        to: "begin\n  perform set_config('synchronous_commit', 'off', true);\n",
      },
    ],
  },
  'lease-revived': {
    mistake: 'a sweep takes some jobs of a lease, and a heartbeat renews it for the rest',
    check: RENEWALS,
    changes: [
      {
        name: 'renew',
        from: ' and l.job_id is null and l.ended_at is null',
        to: ' and l.job_id is null',
      },
      {
        name: 'reclaim',
        from: /(?<=r\.lease = any \(v_shared\)\n +)limit p_limit for update skip locked\) t;/,
        to: 'limit 1 for update skip locked) t;',
      },
      { name: 'reclaim', from: /^ +update holdfast\.lease l set ended_at = v_now\n.*$/m, to: '' },
    ],
  },
  'revoked-by-id': {
    mistake: 'a revocation names the job that was ended, not the attempt',
    check: RENEWALS,
    changes: [
      {
        name: 'renew',
        from: "'attempt', v.attempt)",
        to: "'attempt', coalesce((select r.attempt from holdfast.running r where r.job_id = v.job_id), v.attempt))",
      },
    ],
  },
  'feed-unflushed': {
    mistake: 'a cursor of the feed passes transactions that are not on disk yet',
    check: 'the feed shows everything once',
    changes: [{ name: 'flush_wal', from: /^begin\n/m, to: 'begin\n  return;\n' }],
  },
  'ack-before-commit': {
    mistake: 'a producer takes a job for accepted before the database has committed it',
    check: 'acknowledged jobs exist, none comes from nowhere',
    ackEarly: true,
  },
}

/** The functions as the mutant has them, and their planner settings, which replacing a function drops. */
export function mutatedSql({ changes = [] }: Pick<Mutant, 'changes'>): string[] {
  const texts = new Map<string, string>()
  for (const { name, from, to } of changes) texts.set(name, changed(name, from, to, texts.get(name)))
  return texts.size === 0 ? [] : [...texts.values(), pins()]
}
