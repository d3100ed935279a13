/**
 * Applies the queue declarations of a program at its start: creates missing queues, and updates the declared
 * fields that differ in the database. Fields that the program does not declare keep their values.
 *
 * Writes nothing if nothing differs, so a database role that may only enqueue can start, too. A role that may
 * only work cannot read policies, and skips the update.
 */
import type { HoldfastError } from '../domain/errors/errors.js'
import type { Policy } from '../domain/policy.js'
import type { PresetName } from '../presets/presets.js'
import type { Queue } from '../store/queues.js'
import type { Store } from '../store/store.js'

export type QueueDeclaration = Partial<Policy> & { readonly preset?: PresetName }

const BY = { actor: 'holdfast()', reason: 'declared by the program' } as const

export async function declareQueues(
  { queues }: Store,
  declared: Readonly<Record<string, QueueDeclaration>>,
  tenant = 'default',
): Promise<void> {
  if (Object.keys(declared).length === 0) return
  const listed = await queues.list({ tenant }).catch(unseen)
  const present = new Map(listed.map((queue) => [queue.name, queue]))
  for (const [name, { preset, ...policy }] of Object.entries(declared)) {
    const queue = present.get(name)
    if (queue === undefined) {
      // Another process may be at it, too.
      await queues.create(name, { ...BY, policy, tenant, ifMissing: true, ...(preset ? { preset } : {}) })
    } else {
      const changed = differing(policy, queue)
      if (preset !== undefined && preset !== queue.preset) {
        // Refused while it has live jobs.
        await queues.update(name, { preset, policy }, { ...BY, tenant })
      } else if (Object.keys(changed).length > 0) await queues.setPolicy(name, changed, { ...BY, tenant })
    }
  }
}

function differing(policy: Partial<Policy>, queue: Queue): Partial<Policy> {
  return Object.fromEntries(
    Object.entries(policy).filter(([name, value]) => queue[name as keyof Policy] !== value),
  )
}

function unseen(error: HoldfastError): Queue[] {
  if (error.code === 'forbidden') return []
  throw error
}
