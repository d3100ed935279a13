/** The verbs on the hot paths as calls on a backlog: every plan test makes the same ones, under other statistics. */
import type { Backlog, Place, QueueName } from '../../support/backlog.js'
import type { Call } from '../../support/plans.js'
import { RUNTIME_VERBS } from './runtime-verbs.js'

export interface Verb {
  readonly name: string
  /** Buffers at most, however long the backlog and whatever the planner believes. */
  readonly most: number
  /** A batch also has to cost about what it costs on a small backlog; a single call is too small for a ratio. */
  readonly batch?: true
  on(backlog: Backlog): Call
}

const PLACES: readonly Place[] = ['history', 'flat', 'levels', 'delayed', 'waiting', 'running', 'head']
const LIVE_PLACES = PLACES.filter((place) => place !== 'history')

/** A job in ready is looked for at each of the 101 levels, four pages each when they are far apart. */
const BY_ID = 500
const ONE = 150

const claim =
  (queues: QueueName[], limit: number, lease: number | null = 1, verb = 'claim_batch') =>
  ({ queue }: Backlog): Call => ({
    text: `select * from holdfast.${verb}('w7', $1, $2::int[], $3)`,
    values: [lease, queues.map((name) => queue[name]), limit],
  })

const claimById =
  (place: Place) =>
  ({ last }: Backlog): Call => ({
    text: "select * from holdfast.claim_by_id('w7', 1, $1)",
    values: [last(place)],
  })

const CLAIMS: Verb[] = [
  { name: 'claim 1 of one level', on: claim(['flat'], 1), most: ONE },
  { name: 'claim 1 over levels', on: claim(['levels'], 1), most: ONE },
  { name: 'claim from an empty queue', on: claim(['empty'], 100), most: ONE },
  { name: 'claim 100 of one level', on: claim(['flat'], 100), most: 1_800, batch: true },
  { name: 'claim 1000 of one level', on: claim(['flat'], 1_000), most: 16_000, batch: true },
  { name: 'claim 100 in full', on: claim(['flat'], 100, 1, 'claim'), most: 2_800, batch: true },
  { name: 'claim 1000 over levels', on: claim(['levels'], 1_000), most: 18_000, batch: true },
  {
    name: 'claim 100 of several queues',
    on: claim(['empty', 'returned', 'flat'], 100),
    most: 2_000,
    batch: true,
  },
  ...[1, 100, 1_000].map(
    (limit): Verb => ({
      name: `claim ${limit} of several queues in one order`,
      on: (backlog) => ({
        ...claim(['empty', 'returned', 'flat', 'levels'], limit)(backlog),
        before: "update holdfast.queue set order_by = 'global_fifo'",
      }),
      most: 300 + 40 * limit,
      ...(limit === 1 ? {} : { batch: true }),
    }),
  ),
  { name: 'claim 1000 that came back', on: claim(['returned'], 1_000), most: 20_000, batch: true },
  { name: 'claim 100 with leases of their own', on: claim(['flat'], 100, null), most: 2_200, batch: true },
  ...(['flat', 'levels', 'delayed', 'waiting', 'running'] as const).map((place) => ({
    name: `claim by id, ${place}`,
    on: claimById(place),
    most: BY_ID,
  })),
]

/** From the running ones with a key, which are the second half, or from the first half, the heads of targets. */
function fences(
  { id, count }: Backlog,
  half: 'heads' | 'keyed',
  size: number,
): [number[], number[], number[]] {
  const from = half === 'heads' ? 1 : count('behind') + 1
  const which = Array.from({ length: size }, (_, i) => from + i)
  return [which.map((i) => id('running', i)), which.map(() => 1), which.map((i) => 1 + (i % 100))]
}

const finish =
  (half: 'heads' | 'keyed', size: number, outcome: string) =>
  (backlog: Backlog): Call => ({
    text: 'select * from holdfast.finish($1::bigint[], $2::int[], $3::bigint[], array_fill($4::text, array[$5::int]))',
    values: [...fences(backlog, half, size), outcome, size],
  })

const ENDINGS: Verb[] = [
  { name: 'finish 1 with a key', on: finish('keyed', 1, 'succeeded'), most: ONE },
  { name: 'finish 1000 with keys', on: finish('keyed', 1_000, 'succeeded'), most: 32_000, batch: true },
  {
    name: 'finish 1000 heads of targets',
    on: finish('heads', 1_000, 'succeeded'),
    most: 60_000,
    batch: true,
  },
  { name: 'finish 100 that failed', on: finish('keyed', 100, 'failed'), most: 5_500, batch: true },
  { name: 'finish 100 that are released', on: finish('keyed', 100, 'released'), most: 2_800, batch: true },
  {
    name: 'finish 100 again, after they have ended',
    on: (backlog) => ({
      ...finish('keyed', 100, 'succeeded')(backlog),
      before: `delete from holdfast.running where job_id > ${backlog.id('running', backlog.count('behind'))}`,
    }),
    most: 1_000,
    batch: true,
  },
  {
    name: 'start 100',
    on: (backlog) => ({
      text: 'select * from holdfast.start($1::bigint[], $2::int[], $3::bigint[])',
      values: fences(backlog, 'keyed', 100),
    }),
    most: 1_800,
    batch: true,
  },
  {
    name: 'report on a job',
    on: (backlog) => {
      const [[job], , [lease]] = fences(backlog, 'keyed', 1)
      return {
        text: `select * from holdfast.report($1, 1, $2, '[{"a": 1}, {"a": 2}]')`,
        values: [job, lease],
      }
    },
    most: ONE,
  },
  { name: 'renew 1 lease', on: () => ({ text: "select * from holdfast.renew('{7}')" }), most: 40 },
  {
    name: 'renew 100 leases',
    on: () => ({ text: 'select * from holdfast.renew(array(select generate_series(1, 100)))' }),
    most: 1_600,
    batch: true,
  },
]

const PROMOTE = 'select holdfast.promote(1000)'
const SETTLE = 'select holdfast.settle_targets(1000)'

const due = ({ id }: Backlog, size: number) =>
  `update holdfast.delayed set due_at = '2020-01-01' where job_id between ${id('delayed', 1)} and ${id('delayed', size)}`

/** Arrivals in a caller's transaction, not yet in line. */
const arrive = (target: string, size: number) =>
  `select holdfast.enqueue_many(jsonb_agg(jsonb_build_object('queue', 'lanes', 'kind', 'work', 'target', ${target})))
   from generate_series(1, ${size}) i`

const UPKEEP: Verb[] = [
  { name: 'promote none', on: () => ({ text: PROMOTE }), most: 50 },
  { name: 'promote 10', on: (backlog) => ({ text: PROMOTE, before: due(backlog, 10) }), most: 400 },
  {
    name: 'promote 1000',
    on: (backlog) => ({ text: PROMOTE, before: due(backlog, 1_000) }),
    most: 25_000,
    batch: true,
  },
  { name: 'reclaim none', on: () => ({ text: 'select holdfast.reclaim(1000, false)' }), most: 50 },
  {
    name: 'reclaim 1 lease of its own',
    on: ({ id }) => ({
      text: 'select holdfast.reclaim(1000, false)',
      before: `insert into holdfast.lease (id, worker_id, lease_ms, opened_at, heartbeat_at, expires_at, job_id)
          values (101, 1, 1000, '2020-01-01', '2020-01-01', '2020-01-01', ${id('running', 1)});
        update holdfast.running set lease = 101, own_lease = true where job_id = ${id('running', 1)}`,
    }),
    most: ONE,
  },
  { name: 'settle no target', on: () => ({ text: SETTLE }), most: 40 },
  {
    name: 'settle 1000 new targets',
    on: () => ({ text: SETTLE, before: arrive("'new ' || i", 1_000) }),
    most: 75_000,
    batch: true,
  },
  {
    name: 'settle 100 arrivals at the blocked target',
    on: () => ({ text: SETTLE, before: arrive("'blocked'", 100) }),
    most: 3_000,
    batch: true,
  },
  {
    name: 'settle 10 targets that were busy when their head ended',
    on: ({ id }) => ({
      text: SETTLE,
      before: `insert into holdfast.lane_todo select (1 + i) * 1024, ${id('running', 0)} + i from generate_series(1, 10) i;
        delete from holdfast.running where job_id between ${id('running', 1)} and ${id('running', 10)}`,
    }),
    most: 800,
  },
  {
    name: 'claim 1 that has just arrived at its target',
    on: (backlog) => ({ ...claim(['lanes'], 1)(backlog), before: arrive("'new ' || i", 1) }),
    most: 600,
  },
]

const enqueue =
  (fields: string, size: number, settle = true) =>
  (): Call => ({
    text: `select * from holdfast.enqueue_many((select jsonb_agg(jsonb_build_object('kind', 'work', ${fields}))
      from generate_series(1, ${size}) i), p_settle => ${settle}, p_idempotency_key => 'this call')`,
  })

const PRODUCING: Verb[] = [
  { name: 'enqueue 1', on: enqueue("'queue', 'flat'", 1), most: ONE },
  { name: 'enqueue 1000', on: enqueue("'queue', 'flat'", 1_000), most: 15_000, batch: true },
  {
    name: 'enqueue 1000 with new keys',
    on: enqueue("'queue', 'flat', 'key', 'new ' || i", 1_000),
    most: 27_000,
    batch: true,
  },
  {
    name: 'enqueue 100 whose keys are taken',
    on: ({ id }) => enqueue(`'queue', 'flat', 'key', 'key ' || ${id('flat', 0)} + i`, 100)(),
    most: 2_500,
    batch: true,
  },
  {
    name: 'enqueue 10 that take the place of others',
    on: () => ({
      ...enqueue("'queue', 'replacing', 'key', 'old ' || i", 10)(),
      before: `select holdfast.enqueue_many(jsonb_agg(jsonb_build_object('queue', 'replacing', 'kind', 'work', 'key', 'old ' || i)))
        from generate_series(1, 10) i`,
    }),
    most: 10 * BY_ID,
  },
  {
    name: 'enqueue 1000 for later',
    on: enqueue("'queue', 'flat', 'delay_ms', 100000", 1_000),
    most: 18_000,
    batch: true,
  },
  {
    name: 'enqueue 1000 to new targets',
    on: enqueue("'queue', 'lanes', 'target', 'new ' || i", 1_000),
    most: 60_000,
    batch: true,
  },
  {
    name: 'enqueue 100 to the blocked target',
    on: enqueue("'queue', 'lanes', 'target', 'blocked'", 100),
    most: 2_800,
    batch: true,
  },
  {
    name: 'enqueue 100 to targets in a caller’s transaction',
    on: enqueue("'queue', 'lanes', 'target', 'new ' || i", 100, false),
    most: 2_000,
    batch: true,
  },
]

const each = (name: string, text: string, most: number, places: readonly Place[] = LIVE_PLACES): Verb[] =>
  places.map((place) => ({
    name: `${name}, ${place}`,
    most,
    on: ({ last }) => ({ text, values: [last(place)] }),
  }))

/** As the store asks for it. */
const JOB =
  'select * from holdfast.jobs where id = $1 and queue_id = (select j.queue_id from holdfast.job j where j.id = $1)'

const BY_THEIR_ID: Verb[] = [
  ...each('state of', 'select holdfast.state_of($1)', BY_ID, PLACES),
  ...each('the row in the view of jobs', JOB, BY_ID, PLACES),
  ...each('the story of a job', 'select holdfast.job_history($1)', BY_ID, PLACES),
  // Of the jobs before it at most 10,001 are counted, each on a page of its own when they are spread over levels; of those started lately
  // at most a thousand are looked up, each by its id.
  ...each('explain', 'select * from holdfast.explain($1)', 10_001 + 1_000 * 6 + 4 * BY_ID, PLACES),
  ...each('cancel', "select * from holdfast.cancel($1, 'ann')", 2 * BY_ID),
  ...each('boost', 'select holdfast.boost($1, 10)', 2 * BY_ID),
  ...each('resume', 'select holdfast.resume($1)', BY_ID, ['head']),
  ...each('skip', 'select holdfast.skip($1)', BY_ID, ['head', 'waiting']),
]

const FEED: Verb[] = [
  {
    name: 'the first page of all events',
    on: () => ({ text: "select * from holdfast.feed('all', 100)" }),
    most: 50,
  },
  {
    name: 'the feed when nothing happened',
    on: () => ({ text: 'select * from holdfast.feed(pg_current_snapshot()::text, 100)' }),
    most: 50,
  },
]

export const VERBS: readonly Verb[] = [
  ...CLAIMS,
  ...ENDINGS,
  ...UPKEEP,
  ...PRODUCING,
  ...BY_THEIR_ID,
  ...FEED,
  ...RUNTIME_VERBS,
]
