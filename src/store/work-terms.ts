/**
 * Defaults for a worker that sets no terms of its own.
 *
 * Lease length and heartbeat interval come from the most demanding of its queues, because one lease covers all its jobs. Queues whose jobs
 * have their own leases do not count.
 */
import type { Policy } from '../domain/policy.js'
import { PRESETS } from '../presets/presets.js'
import type { Store } from './store.js'

export async function leaseTermsOf(
  store: Store,
  names: readonly string[],
  tenant = 'default',
  byDefaultMs = PRESETS.default.leaseMs as number,
): Promise<{ leaseMs: number; heartbeatMs: number }> {
  const listed = await store.workers.terms(names, tenant)
  const underWorkerLease = listed.filter((queue) => queue.renewedBy === 'heartbeat')
  // A queue that does not exist yet will get the preset `default`.
  const rules = underWorkerLease.length === 0 ? [PRESETS.default] : underWorkerLease
  const open = rules.some((rule) => rule.leaseMs === null) ? await store.settings.get('LEASE_SEC_DEFAULT') : 0
  const leaseMsOf = ({ leaseMs }: Pick<Policy, 'leaseMs'>) =>
    leaseMs === PRESETS.default.leaseMs ? byDefaultMs : leaseMs
  const leaseMs = Math.min(...rules.map((rule) => leaseMsOf(rule) ?? open * 1000))
  const beats = rules.flatMap(({ heartbeatMs }) => (heartbeatMs === null ? [] : [heartbeatMs]))
  return { leaseMs, heartbeatMs: Math.min(...beats, Math.floor(leaseMs / 3)) }
}

/** How long a shutdown waits for running jobs. */
export async function graceOf({ settings }: Store): Promise<number> {
  return (await settings.get('SHUTDOWN_GRACE_PERIOD_SECONDS')) * 1000
}
