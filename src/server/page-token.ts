/** Where the next page begins, as text that callers hand back as it is. */
import { HoldfastError, invalidInput } from '../domain/errors.js'

export function tokenOf(last: number | string): string {
  return Buffer.from(JSON.stringify([last])).toString('base64url')
}

export function numberFrom(token: string | undefined): number | undefined {
  const value = valueFrom(token)
  if (value === undefined || Number.isSafeInteger(value)) return value as number | undefined
  throw refused()
}

export function textFrom(token: string | undefined): string | undefined {
  const value = valueFrom(token)
  if (value === undefined || typeof value === 'string') return value
  throw refused()
}

function valueFrom(token: string | undefined): unknown {
  if (token === undefined) return undefined
  try {
    const parts: unknown = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'))
    if (Array.isArray(parts) && parts.length === 1) return parts[0]
  } catch {
    // Not ours, as anything else that is not.
  }
  throw refused()
}

function refused() {
  return invalidInput('/page_token', 'is not the token of such a list')
}

/** For lists of the store that make and read their tokens themselves, under the name they have there. */
export function asRefusedToken(error: unknown): never {
  throw error instanceof HoldfastError && error.details.path === '/after' ? refused() : error
}

/** The rows of a page of which one more was read than asked for, and the token of the next. */
export function paged<T>(rows: readonly T[], size: number, last: (row: T) => number | string) {
  const shown = rows.slice(0, size)
  const end = rows.length > size ? shown.at(-1) : undefined
  return { shown, next_page_token: end === undefined ? null : tokenOf(last(end)) }
}
