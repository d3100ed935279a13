/**
 * The terms a worker works on, where the call does not say.
 *
 * How long the lease of a worker lasts and how often it beats: as the most demanding of its queues says, because all its jobs are
 * under one lease. Queues whose jobs have leases of their own have no say.
 */
import { type Policy, PRESETS } from '../domain/policy.js'
import type { Store } from './store.js'

export async function leaseOf(
  store: Store,
  names: readonly string[],
  tenant = 'default',
  byDefaultMs = PRESETS.default.leaseMs as number,
): Promise<{ leaseMs: number; heartbeatMs: number }> {
  const listed = await store.workers.terms(names, tenant)
  const theirs = listed.filter((queue) => queue.renewedBy === 'beat')
  // A queue nobody has made yet will be as the preset `default` says.
  const rules = theirs.length === 0 ? [PRESETS.default] : theirs
  const open = rules.some((rule) => rule.leaseMs === null) ? await store.settings.get('LEASE_SEC_DEFAULT') : 0
  const theirMs = ({ leaseMs }: Pick<Policy, 'leaseMs'>) =>
    leaseMs === PRESETS.default.leaseMs ? byDefaultMs : leaseMs
  const leaseMs = Math.min(...rules.map((rule) => theirMs(rule) ?? open * 1000))
  const beats = rules.flatMap(({ heartbeatMs }) => (heartbeatMs === null ? [] : [heartbeatMs]))
  return { leaseMs, heartbeatMs: Math.min(...beats, Math.floor(leaseMs / 3)) }
}

/** How long running jobs are waited for. */
export async function graceOf({ settings }: Store): Promise<number> {
  return (await settings.get('SHUTDOWN_GRACE_PERIOD_SECONDS')) * 1000
}
