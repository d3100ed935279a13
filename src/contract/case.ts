/**
 * JSON on the wire has snake_case names, TypeScript has camelCase; they are translated here. One level deep, because what is below is
 * the user's own data. Times become ISO text.
 */
import { camel, snake } from '../domain/case.js'

export function toWire<T>(row: object): T {
  const said: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(row))
    said[snake(name)] = value instanceof Date ? value.toISOString() : value
  return said as T
}

/** Fields that were not said are left out, so that "not said" stays different from null. */
export function fromWire<T>(said: object): T {
  const row: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(said)) if (value !== undefined) row[camel(name)] = value
  return row as T
}
