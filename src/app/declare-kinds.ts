/** What definitions say of their kinds, as far as it is data, for the database. */
import type { HoldfastError } from '../domain/errors.js'
import { given } from '../domain/given.js'
import type { DeclaredKind } from '../domain/kinds.js'
import type { Store } from '../store/store.js'
import type { Job } from './define-job.js'

export function kindsOf(jobs: Iterable<Job>): DeclaredKind[] {
  return [...jobs].map(({ kind, queue, maxRetries, timeoutMs, priority, key, target }) => {
    const byProgram = (['key', 'target'] as const).filter(
      (name) => typeof { key, target }[name] === 'function',
    )
    return {
      kind,
      queue,
      ...given({ maxRetries, timeoutMs, priority }),
      ...(typeof key === 'string' ? { key } : {}),
      ...(typeof target === 'string' ? { target } : {}),
      ...(byProgram.length > 0 ? { byProgram } : {}),
    } as DeclaredKind
  })
}

/** A role that may not declare leaves it to others. */
export async function declareKinds(
  declare: Store['kinds']['declare'],
  kinds: readonly DeclaredKind[],
  tenant: string | undefined,
): Promise<void> {
  await declare(kinds, { actor: 'holdfast()', ...given({ tenant }) }).catch((error: HoldfastError) => {
    if (error.code !== 'forbidden') throw error
  })
}
