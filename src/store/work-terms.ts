/**
 * The terms a worker works on, where the call does not say.
 *
 * How long the lease of a worker lasts and how often it beats: as the most demanding of its queues says, because all its jobs are
 * under one lease. Queues whose jobs have leases of their own have no say.
 */
import type { HoldfastError } from '../domain/errors.js'
import { type Policy, PRESETS } from '../domain/policy.js'
import { SETTINGS } from '../domain/settings.js'
import type { Queue } from './queues.js'
import type { Store } from './store.js'

export async function leaseOf(
  store: Store,
  names: readonly string[],
  tenant = 'default',
  byDefaultMs = PRESETS.default.leaseMs as number,
): Promise<{ leaseMs: number; heartbeatMs: number }> {
  const listed = await store.queues.list({ tenant }).catch(unseen)
  const theirs = listed.filter((queue) => names.includes(queue.name) && queue.renewedBy === 'beat')
  // A queue nobody has made yet will be as the preset `default` says.
  const rules = theirs.length === 0 ? [PRESETS.default] : theirs
  const open = rules.some((rule) => rule.leaseMs === null) ? await store.settings.get('LEASE_SEC_DEFAULT') : 0
  const theirMs = ({ leaseMs }: Policy) => (leaseMs === PRESETS.default.leaseMs ? byDefaultMs : leaseMs)
  const leaseMs = Math.min(...rules.map((rule) => theirMs(rule) ?? open * 1000))
  const beats = rules.flatMap(({ heartbeatMs }) => (heartbeatMs === null ? [] : [heartbeatMs]))
  return { leaseMs, heartbeatMs: Math.min(...beats, Math.floor(leaseMs / 3)) }
}

/** How long running jobs are waited for. */
export async function graceOf({ settings }: Store): Promise<number> {
  const seconds = await settings.get('SHUTDOWN_GRACE_PERIOD_SECONDS').catch((error: HoldfastError) => {
    if (error.code === 'forbidden') return SETTINGS.SHUTDOWN_GRACE_PERIOD_SECONDS.default
    throw error
  })
  return seconds * 1000
}

/** A role that may only work does not see the policies. */
function unseen(error: HoldfastError): Queue[] {
  if (error.code === 'forbidden') return []
  throw error
}
