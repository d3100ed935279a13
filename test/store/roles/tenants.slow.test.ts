// Two tenants in one schema. Every verb that anybody may call and every view that anybody may read is asked about the other one.
import { expect, it } from 'vitest'
import { possessions, type TwoTenants, twoTenants } from '../../support/roles/two-tenants.js'
import { CASES, hear } from './verb-cases.js'

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
      heard[name] = await hear(world.acme, asked, world, { chosen })
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

it.each([
  `holdfast.pause_schedule(null, p_tenant => 'bolt')`,
  `holdfast.resume_schedule(null, p_tenant => 'bolt')`,
  `holdfast.remove_worker('bolt-worker', 'bolt')`,
  `holdfast.open_lease('bolt-worker', 60000, 'bolt')`,
  // The session of the admin key is one for every tenant.
  `holdfast.open_web_session(decode(repeat('ba', 32), 'hex'), null, decode(repeat('cd', 32), 'hex'), '1 hour', '1 day', 1)`,
])('%s, which names the other tenant or every tenant, is denied', async (call) => {
  const world = await twoTenants()
  expect(await hear(world.acme, { call: `select ${call} as answer`, hears: 'tenant_denied' }, world)).toBe(
    'tenant_denied',
  )
})

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
    'alert_gauges',
    'all_levels',
    'check_alerts',
    'count_minutes',
    'counted_to',
    'enqueue_stale_subjects',
    'expire_keys',
    'grant_tenant',
    'is_ahead',
    'is_worker_alive',
    'key_state',
    'keys_required_since',
    'locked_claims',
    'lost_attempts',
    'make_partitions',
    'now',
    'open_lease',
    'prune',
    'prune_records',
    'record_chores',
    'reset_after',
    'revoke_tenant',
    'set_setting',
    'set_tenant_limits',
    'setting_number',
    'state_word',
    'take_deliveries',
    'view_now',
    'wake',
  ])
})
