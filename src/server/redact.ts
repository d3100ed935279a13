/**
 * What is in a payload but not for whoever looks: values at these places are replaced before they leave the server. A place is a JSON
 * pointer into the payload, with * for every element or field: /password, /cards/*\/number. Payloads are the input and result of
 * a job, its cursor and progress, and items.
 */
import { invalidInput } from '../domain/errors.js'

export type Redact = <T>(payload: T) => T

export const REDACTED = '[redacted]'

export function redactor(pointers: readonly string[]): Redact {
  const places = pointers.map(placeOf)
  if (places.length === 0) return (payload) => payload
  return (payload) =>
    places.reduce<unknown>((value, place) => without(value, place), payload) as typeof payload
}

function placeOf(pointer: string): string[] {
  if (!/^(\/[^/]+)+$/.test(pointer))
    throw invalidInput('/redact', `"${pointer}" is not a JSON pointer like /card/number`)
  return pointer
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** A copy where there is something to replace; what is untouched is shared. */
function without(value: unknown, [step, ...rest]: readonly string[]): unknown {
  if (step === undefined) return REDACTED
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value))
    return value.map((each, index) => (step === '*' || step === String(index) ? without(each, rest) : each))
  const names = step === '*' ? Object.keys(value) : Object.hasOwn(value, step) ? [step] : []
  const fields = value as Record<string, unknown>
  return names.length === 0
    ? value
    : { ...fields, ...Object.fromEntries(names.map((name) => [name, without(fields[name], rest)])) }
}
