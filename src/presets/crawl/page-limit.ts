/** The `limit` of a list. One over the maximum is not refused, so that a program written for another server gets a page. */
import { LIMITS } from '../../domain/limits.js'
import { cappedLimit, WARNING_HEADER } from '../../server/http/warning.js'

export function pageLimit(asked: number): { limit: number; headers: Record<string, string> } {
  const max = LIMITS.pageMax.default
  return asked <= max
    ? { limit: asked, headers: {} }
    : { limit: max, headers: { [WARNING_HEADER]: cappedLimit(asked, max) } }
}
