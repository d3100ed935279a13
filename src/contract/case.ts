/**
 * Converts names between JSON (snake_case) and TypeScript (camelCase). One level deep, because the values below are data of the user.
 * Times become ISO text.
 */
import { camel, snake } from '../json/case.js'

export function toWire<T>(row: object): T {
  const wire: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(row))
    wire[snake(name)] = value instanceof Date ? value.toISOString() : value
  return wire as T
}

/** Undefined fields are left out, so that "not given" stays different from null. */
export function fromWire<T>(wire: object): T {
  const row: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(wire)) if (value !== undefined) row[camel(name)] = value
  return row as T
}
