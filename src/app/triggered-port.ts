/** The port of a worker with a trigger: it claims the jobs that the trigger names, by id, in place of claims in order. */

import { invalidInput } from '../domain/errors/errors.js'
import type { Log } from '../domain/log.js'
import type { WorkPort } from '../domain/port.js'
import type { Trigger, Triggering } from '../store/triggers/trigger.js'
import type { Engine } from './engine.js'

interface Triggered {
  readonly tenant: string | undefined
  readonly queues: readonly string[]
  readonly slots: number
  readonly leaseMs: number
  readonly log: Log | undefined
}

export async function attachTrigger(
  trigger: Trigger | undefined,
  engine: Engine,
  { tenant = 'default', ...worker }: Triggered,
): Promise<Triggering | undefined> {
  if (trigger === undefined) return undefined
  if (engine.store === undefined) {
    throw invalidInput('/trigger', 'a trigger needs the database itself, not a server')
  }
  return trigger.attach({ ...worker, tenant, store: engine.store, wakeups: engine.wakeups(tenant) })
}

export function triggeredPort(port: WorkPort, triggering: Triggering | undefined): WorkPort {
  if (triggering === undefined) return port
  return {
    ...port,
    claim: (ask) => triggering.claim(ask, (same) => port.claim(same)),
    releaseUnlisted(lease, known, olderThanMs) {
      triggering.keep(known, olderThanMs)
      return port.releaseUnlisted(lease, known, olderThanMs)
    },
  }
}
