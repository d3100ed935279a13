/** What a server refuses, as the error that the library would throw. */
import type { Problem } from '../contract/problem.js'
import { type HoldfastError, holdfastError, isErrorCode } from '../domain/errors/errors.js'

export function errorOf(status: number, body: unknown): HoldfastError {
  const { code, detail, remedy, facts, errors, instance } = (body ?? {}) as Partial<Problem>
  if (typeof code !== 'string')
    return holdfastError('server_unreachable', {
      problem: `what is there answered ${status}, not as Holdfast does`,
    })
  const [first] = errors ?? []
  const details = {
    ...facts,
    ...(first === undefined ? {} : { path: first.pointer, problem: first.problem }),
    ...(errors === undefined || errors.length < 2 ? {} : { errors }),
    requestId: instance,
  }
  const message = String(detail).replace(` ${remedy}`, '')
  // A server may be newer than this client, and know refusals that it does not.
  if (!isErrorCode(code)) return holdfastError('internal', { ...details, code, remedy, status }, { message })
  return holdfastError(code, details, { message })
}
