/**
 * Random worlds for `explain`: queues of every policy that can keep a job, and what producers, workers and operators do to them. One world is one
 * transaction that is undone, so each begins empty; what a verb refuses is undone alone and is part of the game.
 */
import fc from 'fast-check'
import type { Session } from 'holdfast/store'

export type Step = (world: Live) => Promise<void>

export interface World {
  readonly queues: readonly object[]
  readonly tenantMax: number | null
  readonly steps: readonly { readonly told: string; readonly step: Step }[]
}

/** A world while it is played. */
export interface Live {
  readonly session: Session
  readonly queues: readonly { readonly id: number; readonly name: string; readonly tenant: string }[]
  readonly lease: number
}

const pick = <T>(list: readonly T[], n: number): T => list[n % list.length] as T
const index = fc.nat(99)

/** Two tenants, one of them with a limit now and then. */
const TENANTS = ['small', 'small', 'large', 'large', 'large'] as const

const policy = fc
  .record({
    order_by: fc.constantFrom('priority', 'fifo', 'global_fifo'),
    serialize_targets: fc.boolean(),
    max_running_per_target: fc.constantFrom(1, 1, 2, 3),
    max_running: fc.constantFrom(null, null, 1, 2),
    rate: fc.constantFrom(
      {},
      {},
      { rate_limit: 2 },
      { rate_limit: 1, rate_per_key: true },
      { rate_limit: 2, rate_burst: 1, rate_per_key: true },
    ),
    crash_budget: fc.constantFrom(1, 2, 3),
    on_lease_lost: fc.constantFrom('retry', 'retry', 'count', 'error'),
    on_error: fc.constantFrom('continue', 'block'),
    on_cancel: fc.constantFrom('cancel', 'pause'),
    on_shutdown: fc.constantFrom('release', 'pause'),
    dedup: fc.constantFrom('return_existing', 'replace'),
    renewed_by: fc.constantFrom('heartbeat', 'nothing'),
    max_retries: fc.constantFrom(0, 3, 3),
  })
  .map(({ rate, ...rest }) => ({ ...rest, ...rate, rate_period_ms: 10_000 }))

/** A verb on a job that fits it, where there is one. */
const onJob = (verb: string, where: string) =>
  index.map((n) => ({
    told: `${verb} ${where} ${n}`,
    step: async ({ session }: Live) => {
      const jobs = await session.query<{ id: number }>(`select job_id as id from ${where} order by 1`)
      if (jobs.length > 0) await attempt(session, `select holdfast.${verb}`, [pick(jobs, n).id])
    },
  }))

const enqueue = fc
  .record({
    n: index,
    settle: fc.boolean(),
    priority: fc.constantFrom(0, 0, 50),
    target: fc.constantFrom(undefined, 't1', 't1', 't2'),
    key: fc.constantFrom(undefined, undefined, 'k1', 'k2'),
    run_at: fc.constantFrom(undefined, undefined, undefined, 4, 40),
    pending: fc.constantFrom(undefined, undefined, undefined, undefined, true),
  })
  .map(({ n, settle, run_at, ...job }) => ({
    told: `enqueue ${JSON.stringify({ n, settle, run_at, ...job })}`,
    step: async ({ session, queues }: Live) => {
      const { name, tenant } = pick(queues, n)
      const due = run_at === undefined ? null : run_at
      await attempt(
        session,
        `select holdfast.enqueue_many(jsonb_build_array($1::jsonb || case when $4::int is null then '{}' else
           jsonb_build_object('run_at', holdfast.now() + $4 * interval '1 s') end), $2, p_settle => $3)`,
        [JSON.stringify({ ...job, queue: name, kind: 'k', input: {} }), tenant, settle, due],
      )
    },
  }))

/** Under the lease of its worker, or one of its own that is soon over, or later. */
const claim = fc
  .record({ n: index, limit: fc.constantFrom(1, 1, 3), leaseMs: fc.constantFrom(null, 5_000, 60_000) })
  .map(({ n, limit, leaseMs }) => ({
    told: `claim ${n} ${limit} ${leaseMs}`,
    step: ({ session, queues, lease }: Live) =>
      attempt(session, "select holdfast.claim('w', $1, array[$2::int], $3, $4)", [
        leaseMs === null ? lease : null,
        pick(queues, n).id,
        limit,
        leaseMs,
      ]),
  }))

interface Running {
  readonly job_id: number
  readonly attempt: number
  readonly lease: number
}

const RUNNING = 'r.job_id, r.attempt, r.lease from holdfast.running r order by r.job_id'

const OUTCOMES = ['succeeded', 'failed', 'failed', 'released', 'snoozed', 'parked'] as const

const finish = fc
  .record({ n: index, outcome: fc.constantFrom(...OUTCOMES), retryable: fc.boolean() })
  .map(({ n, outcome, retryable }) => ({
    told: `finish ${n} ${outcome} ${retryable}`,
    step: async ({ session }: Live) => {
      const running = await session.query<Running>(`select ${RUNNING}`)
      if (running.length === 0) return
      const { job_id, attempt: nth, lease } = pick(running, n)
      await attempt(
        session,
        'select holdfast.finish(array[$1::bigint], array[$2::int], array[$3::bigint], array[$4], null, array[$5::jsonb])',
        [job_id, nth, lease, outcome, JSON.stringify({ delay_ms: 5_000, retryable })],
      )
    },
  }))

const begin = index.map((n) => ({
  told: `start ${n}`,
  step: async ({ session }: Live) => {
    const running = await session.query<Running>(`select ${RUNNING}`)
    if (running.length === 0) return
    const { job_id, attempt: nth, lease } = pick(running, n)
    await attempt(session, 'select holdfast.start(array[$1::bigint], array[$2::int], array[$3::bigint])', [
      job_id,
      nth,
      lease,
    ])
  },
}))

const advance = fc.constantFrom(1_000, 6_000, 6_000, 31_000).map((ms) => ({
  told: `advance ${ms}`,
  step: async ({ session }: Live) => {
    await session.query("update holdfast.pinned_clock set at = at + $1 * interval '1 ms'", [ms])
  },
}))

const queueVerb = (verb: 'pause_queue' | 'resume_queue') =>
  index.map((n) => ({
    told: `${verb} ${n}`,
    step: ({ session, queues }: Live) =>
      attempt(session, `select holdfast.${verb}($1, 'ann', 'a look')`, [pick(queues, n).id]),
  }))

const setPolicy = fc
  .record({ n: index, most: fc.constantFrom(1, 2, 3), serialize: fc.boolean() })
  .map(({ n, most, serialize }) => ({
    told: `set_policy ${n} ${most} ${serialize}`,
    step: ({ session, queues }: Live) =>
      attempt(session, 'select holdfast.set_policy($1, $2::jsonb)', [
        pick(queues, n).id,
        JSON.stringify({ max_running_per_target: most, serialize_targets: serialize }),
      ]),
  }))

/** The lease of the worker is gone and nobody has swept what it held: somebody's hand, or a bug. */
const orphan = fc.constant({
  told: 'orphan',
  step: async ({ session }: Live) => {
    await session.query(
      'update holdfast.running set lease = 0 where job_id = (select min(job_id) from holdfast.running where own_lease)',
    )
  },
})

const bringIn = fc.constantFrom('promote', 'reclaim', 'settle_targets').map((verb) => ({
  told: verb,
  step: ({ session }: Live) => attempt(session, `select holdfast.${verb}()`),
}))

const step = fc.oneof(
  { weight: 12, arbitrary: enqueue },
  { weight: 8, arbitrary: claim },
  { weight: 5, arbitrary: finish },
  { weight: 2, arbitrary: begin },
  { weight: 4, arbitrary: advance },
  { weight: 1, arbitrary: queueVerb('pause_queue') },
  { weight: 1, arbitrary: queueVerb('resume_queue') },
  { weight: 1, arbitrary: setPolicy },
  { weight: 1, arbitrary: orphan },
  { weight: 1, arbitrary: bringIn },
  { weight: 1, arbitrary: onJob('cancel($1)', 'holdfast.running') },
  { weight: 1, arbitrary: onJob('cancel($1)', 'holdfast.ready') },
  { weight: 1, arbitrary: onJob('resume($1)', 'holdfast.held') },
  { weight: 1, arbitrary: onJob('skip($1)', 'holdfast.held') },
  { weight: 1, arbitrary: onJob('publish($1)', 'holdfast.held') },
  { weight: 1, arbitrary: onJob('boost($1, 10)', 'holdfast.ready') },
)

/** What makes things fall due, with nobody there to bring them in. */
const ending = fc.oneof({ weight: 2, arbitrary: advance }, { weight: 1, arbitrary: queueVerb('pause_queue') })

export const world: fc.Arbitrary<World> = fc
  .record({
    queues: fc.array(policy, { minLength: 2, maxLength: TENANTS.length }),
    tenantMax: fc.constantFrom(null, 1, 2),
    steps: fc.array(step, { minLength: 10, maxLength: 45, size: 'max' }),
    ending: fc.array(ending, { maxLength: 3 }),
  })
  .map(({ steps, ending, ...rest }) => ({ ...rest, steps: [...steps, ...ending] }))

/** Plays a world; the transaction is the caller's to undo. */
export async function play(session: Session, { queues, tenantMax, steps }: World): Promise<Live> {
  const made = []
  for (const [n, wanted] of queues.entries()) {
    const tenant = pick(TENANTS, n)
    const name = `q${n}`
    const [row] = await session.query<{ id: number }>(
      "select holdfast.create_queue($1, 'default', $2::jsonb, $3) as id",
      [name, JSON.stringify(wanted), tenant],
    )
    made.push({ id: row?.id as number, name, tenant })
  }
  await session.query(
    "select holdfast.set_tenant_limits('small', jsonb_build_object('max_running', $1::int))",
    [tenantMax],
  )
  const [opened] = await session.query<{ lease: number }>("select lease from holdfast.open_lease('w', 30000)")
  const live: Live = { session, queues: made, lease: opened?.lease as number }
  for (const { step } of steps) await step(live)
  return live
}

/** Refusals are answers; anything else is a failure of the test. One round trip, because there are thousands of these. */
async function attempt(session: Session, text: string, values: readonly unknown[] = []): Promise<void> {
  const told = text.replace(/\$(\d)/g, (_all, n: string) => literal(values[Number(n) - 1]))
  await session.query(`select holdfast.attempt(${literal(told)})`)
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value ?? null)
}

export const ATTEMPT = `
create function holdfast.attempt(p_text text) returns void language plpgsql as $$
begin
  execute p_text;
exception when sqlstate 'HF000' then null;
end $$;`
