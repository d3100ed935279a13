/** Page tokens: the last row of a page, as opaque text that the caller sends back for the next page. */
import { HoldfastError, invalidInput } from '../../domain/errors/errors.js'

export function tokenOf(last: number | string): string {
  return Buffer.from(JSON.stringify([last])).toString('base64url')
}

export function numberFrom(token: string | undefined): number | undefined {
  const value = valueFrom(token)
  if (value === undefined || Number.isSafeInteger(value)) return value as number | undefined
  throw wrongToken()
}

export function textFrom(token: string | undefined): string | undefined {
  const value = valueFrom(token)
  if (value === undefined || typeof value === 'string') return value
  throw wrongToken()
}

function valueFrom(token: string | undefined): unknown {
  if (token === undefined) return undefined
  try {
    const parts: unknown = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'))
    if (Array.isArray(parts) && parts.length === 1) return parts[0]
  } catch {
    // Not JSON; handled like any other wrong token.
  }
  throw wrongToken()
}

function wrongToken() {
  return invalidInput('/page_token', 'is not a page_token of this list')
}

/** For lists of the store that encode their tokens themselves and report a wrong one as `after`. */
export function asWrongToken(error: unknown): never {
  throw error instanceof HoldfastError && error.details.path === '/after' ? wrongToken() : error
}

/** A page and the token of the next, from one row more than the page holds. */
export function paged<T>(rows: readonly T[], size: number, last: (row: T) => number | string) {
  const page = rows.slice(0, size)
  const end = rows.length > size ? page.at(-1) : undefined
  return { page, next_page_token: end === undefined ? null : tokenOf(last(end)) }
}
