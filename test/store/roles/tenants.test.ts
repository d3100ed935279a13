// Two tenants in one schema. Every verb that anybody may call and every view that anybody may read is asked about the other one.
import { HoldfastError } from 'holdfast'
import { expect, it } from 'vitest'
import type { Login } from './sealed.js'
import { possessions, type TwoTenants, twoTenants } from './two-tenants.js'

/** How each verb is pointed at what belongs to bolt, and what acme must hear. */
interface Case {
  readonly call: string
  readonly values?: (world: TwoTenants) => unknown[]
  readonly hears: unknown
  /** Where it differs when the tenant chosen is none of acme's. */
  readonly blind?: unknown
}

const onJob = (call: string, state: keyof TwoTenants['jobs'], hears: unknown = 'unknown_job'): Case => ({
  call: `select ${call} as answer`,
  values: ({ jobs }) => [jobs[state]],
  hears,
})
const onQueue = (call: string): Case => ({
  call: `select ${call} as answer`,
  values: ({ queue }) => [queue],
  hears: 'unknown_queue',
})
const fence = ({ running: { jobId, attempt, lease } }: TwoTenants) => [jobId, attempt, lease]
const denied = (call: string): Case => ({ call: `select ${call} as answer`, hears: 'tenant_denied' })
const chore = (call: string, hears: unknown = 0): Case => ({
  call: `select ${call} as answer`,
  hears,
  blind: 'tenant_denied',
})

const CASES: Record<string, Case> = {
  enqueue: denied(`holdfast.enqueue('work', 'k', '{}', '{}', 'bolt')`),
  enqueue_many: denied(`holdfast.enqueue_many('[{"queue": "work", "kind": "k"}]', 'bolt', 'once')`),
  create_queue: denied(`holdfast.create_queue('work', p_tenant => 'bolt', p_if_missing => true)`),
  release: onJob('holdfast.release($1)', 'pending'),
  cancel: onJob('holdfast.cancel($1)', 'queued'),
  retry: onJob('holdfast.retry($1)', 'failed'),
  resume: onJob('holdfast.resume($1)', 'errored'),
  skip: onJob('holdfast.skip($1)', 'paused'),
  discard: onJob('holdfast.discard($1)', 'retrying'),
  boost: onJob('holdfast.boost($1, 5)', 'queued'),
  set_priority: onJob('holdfast.set_priority($1, 5)', 'queued'),
  explain: onJob('holdfast.explain($1)', 'queued'),
  job_report: onJob('holdfast.job_report($1)', 'queued', null),
  pause_queue: onQueue('holdfast.pause_queue($1)'),
  resume_queue: onQueue('holdfast.resume_queue($1)'),
  set_policy: onQueue(`holdfast.set_policy($1, '{"max_retries": 9}')`),
  claim: {
    call: 'select count(*) as answer from holdfast.claim($2, null, array[$1::int], 10)',
    values: ({ queue }) => [queue, 'w'],
    hears: 0,
  },
  claim_by_id: {
    call: 'select count(*) as answer from holdfast.claim_by_id($2, null, $1)',
    values: ({ jobs }) => [jobs.queued, 'w'],
    hears: 0,
  },
  start: {
    call: 'select count(*) as answer from holdfast.start(array[$1::bigint], array[$2::int], array[$3::bigint])',
    values: fence,
    hears: 0,
  },
  report: {
    call: `select jsonb_build_object('accepted', accepted, 'tokens', tokens_used, 'cancel', cancel_requested) as answer
      from holdfast.report($1, $2, $3, '[{"b": 2}]')`,
    values: fence,
    hears: { accepted: false, tokens: null, cancel: null },
  },
  finish: {
    call: `select jsonb_build_object('accepted', accepted, 'state', state) as answer
      from holdfast.finish(array[$1::bigint], array[$2::int], array[$3::bigint], array['succeeded'])`,
    values: fence,
    hears: { accepted: false, state: null },
  },
  renew: {
    call: 'select alive as answer from holdfast.renew(array[$1::bigint])',
    values: ({ running }) => [running.lease],
    hears: false,
  },
  close_lease: {
    call: 'select holdfast.close_lease($1) as answer',
    values: ({ running }) => [running.lease],
    hears: 0,
  },
  open_lease: {
    call: `select count(*) as answer from holdfast.open_lease('w', 1000)`,
    hears: 1,
    blind: 'tenant_denied',
  },
  feed: {
    call: `select count(*) as answer from holdfast.feed('all') f, jsonb_array_elements(f.events) e where e ->> 'tenant' <> 'acme'`,
    hears: 0,
  },
  promote: chore('holdfast.promote()'),
  reclaim: chore('holdfast.reclaim()'),
  settle_targets: chore('holdfast.settle_targets()'),
  make_partitions: chore('holdfast.make_partitions() >= 0', true),
  age: denied('holdfast.age()'),
  prune: denied('holdfast.prune()'),
  forget: denied(`holdfast.forget('0 s', '0 s')`),
  grant_tenant: denied(`holdfast.grant_tenant(session_user::name, 'bolt')`),
  revoke_tenant: denied(`holdfast.revoke_tenant(session_user::name, 'acme')`),
  my_tenants: { call: 'select holdfast.my_tenants() as answer', hears: ['acme'], blind: [] },
  my_queues: { call: 'select cardinality(holdfast.my_queues()) as answer', hears: 1, blind: 0 },
  levels: { call: 'select cardinality(holdfast.levels()) as answer', hears: 101 },
  setting_number: { call: `select holdfast.setting_number('MAX_ATTEMPTS_DEFAULT') as answer`, hears: 5 },
}

/** What anybody may call at all, by the catalog. */
const callable = ({ store }: TwoTenants) =>
  store.database.query<{ name: string }>(
    `select distinct p.proname as name from pg_proc p join pg_roles r on r.rolname = any ($2)
     where p.pronamespace = $1::regnamespace and has_function_privilege(r.oid, p.oid, 'execute') order by 1`,
    [
      store.schema,
      ['producer', 'worker', 'operator', 'reader', 'server'].map((role) => `${store.schema}_${role}`),
    ],
  )

class RolledBack extends Error {}

/** The answer or the code of the refusal; nothing of it stays. */
async function hear(
  user: Login,
  { call, values }: Case,
  world: TwoTenants,
  chosen?: string,
): Promise<unknown> {
  let heard: unknown
  try {
    await user.database.transaction(async (session) => {
      if (chosen !== undefined)
        await session.query("select set_config('holdfast_tenant.name', $1, true)", [chosen])
      const rows = await session.query<{ answer: unknown }>(call, values?.(world))
      heard = rows[0]?.answer
      throw new RolledBack()
    })
  } catch (error) {
    if (error instanceof HoldfastError) return error.code
    if (!(error instanceof RolledBack)) throw error
  }
  return heard
}

const CHOICES = [
  { chosen: undefined, title: 'chose no tenant', blind: false },
  { chosen: '', title: 'chose an empty name, as a setting reads that was used before', blind: false },
  { chosen: 'acme', title: 'chose its own tenant', blind: false },
  { chosen: 'bolt', title: 'chose the other tenant', blind: true },
  { chosen: '*', title: 'chose every tenant', blind: true },
  { chosen: `acme' or true --`, title: 'chose nonsense', blind: true },
]

it.each(CHOICES)(
  'no verb tells or moves anything of another tenant for somebody who $title',
  async ({ chosen, blind }) => {
    const world = await twoTenants()
    const before = await possessions(world.store)
    const heard: Record<string, unknown> = {}
    const expected: Record<string, unknown> = {}
    for (const { name } of await callable(world)) {
      const asked = CASES[name]
      expect(asked, `say in CASES how ${name} is kept to its tenant`).toBeDefined()
      if (asked === undefined) continue
      heard[name] = await hear(world.acme, asked, world, chosen)
      expected[name] = blind && 'blind' in asked ? asked.blind : asked.hears
      // Not rolled back: a refusal or an empty answer must also leave nothing.
      await world.acme.choosing(chosen, asked.call, asked.values?.(world)).catch(() => {})
    }
    expect(heard).toEqual(expected)
    expect(Object.keys(heard).sort()).toEqual(Object.keys(CASES).sort())
    const after = await possessions(world.store)
    const own = (row: unknown) => JSON.stringify((row as { tenants?: unknown }).tenants) === '["acme"]'
    expect({ ...after, lease: after.lease?.filter((row) => !own(row)) }).toEqual(before)
  },
)

it('the same calls do move and tell when the tenant itself makes them', async () => {
  const world = await twoTenants()
  const same: string[] = []
  for (const [name, asked] of Object.entries(CASES)) {
    const heard = await hear(world.bolt, asked, world)
    if (JSON.stringify(heard) === JSON.stringify(asked.hears)) same.push(name)
  }
  // What concerns every tenant is refused to bolt as well; the rest tells nothing of any tenant.
  expect(same.sort()).toEqual([
    'age',
    'forget',
    'grant_tenant',
    'levels',
    'make_partitions',
    'open_lease',
    'prune',
    'revoke_tenant',
    'setting_number',
  ])
})
