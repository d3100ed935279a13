/** Every invariant, in the order in which a report names them. */
import type { Check } from '../evidence.js'
import { counts, ended, processes, view } from './bounds.js'
import { feed } from './feed.js'
import { overlaps, renewals, triples } from './handlers.js'
import { chain, claims, limits, times } from './history.js'
import { keys, order, targets } from './lines.js'
import { children, ledger, promises } from './promises.js'
import { accepted, effects, items, stale } from './writes.js'

export const CHECKS: Readonly<Record<string, Check>> = {
  'acknowledged jobs exist, none comes from nowhere': promises,
  'jobs and other work of one transaction, both or neither': ledger,
  'children and their parent, both or neither': children,
  'nothing the engine itself calls a violation': view,
  'everything has ended after the drain': ended,
  'one place at a time, legal moves only': chain,
  'a pair (attempt, lease) is new, each claim has one end': claims,
  'a triple (job, attempt, lease) begins once, under a claim that lasts': triples,
  'no two handlers at once on a job or target, once the first was aborted': overlaps,
  'a swept lease is never renewed, a revocation names its attempt': renewals,
  'a stale pair never writes': stale,
  'what was accepted is there': accepted,
  'leases and due times are respected': times,
  'one at a time on a target': targets,
  'first come, first served on a target': order,
  'one live job per key': keys,
  'no more run than may': limits,
  'failures and losses within their bounds': counts,
  'one effect for each success': effects,
  'nothing reported is lost or doubled': items,
  'the feed shows everything once': feed,
  'processes stay up': processes,
}
