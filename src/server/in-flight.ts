/** Requests under way here by their Idempotency-Key: the second of two at once is told to come back for the answer of the first. */
import { holdfastError } from '../domain/errors.js'

const underWay = new Set<string>()

export async function once<T>(
  tenant: string,
  idempotencyKey: string | undefined,
  work: () => Promise<T>,
): Promise<T> {
  if (idempotencyKey === undefined) return work()
  // A tenant's name has no space, so no two pairs read the same.
  const name = `${tenant} ${idempotencyKey}`
  if (underWay.has(name)) throw holdfastError('idempotency_in_flight')
  underWay.add(name)
  try {
    return await work()
  } finally {
    underWay.delete(name)
  }
}
