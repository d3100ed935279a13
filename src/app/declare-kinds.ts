/** Writes the options of job definitions to the table of kinds, as far as they are data. */
import type { HoldfastError } from '../domain/errors/errors.js'
import type { DeclaredKind } from '../domain/kinds.js'
import { given } from '../json/given.js'
import type { Store } from '../store/store.js'
import type { DefinedJob } from './define-job.js'

export function kindsOf(jobs: Iterable<DefinedJob>): DeclaredKind[] {
  return [...jobs].map(({ kind, queue, maxRetries, timeoutMs, priority, key, target, search }) => {
    const byProgram = (['key', 'target'] as const).filter(
      (name) => typeof { key, target }[name] === 'function',
    )
    return {
      kind,
      queue,
      ...given({ maxRetries, timeoutMs, priority, search }),
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
