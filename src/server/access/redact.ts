/**
 * Redaction: replaces values in payloads before they leave the server. Paths are JSON pointers into the payload, with * for every element
 * or field: /password, /cards/*\/number. Payloads are the input and result of a job, its cursor and progress, and items.
 */
import { invalidInput } from '../../domain/errors/errors.js'

export type Redact = <T>(payload: T) => T

export const REDACTED = '[redacted]'

export function redactor(pointers: readonly string[]): Redact {
  const paths = pointers.map(pathOf)
  if (paths.length === 0) return (payload) => payload
  return (payload) => paths.reduce<unknown>((value, path) => redacted(value, path), payload) as typeof payload
}

/** Whether a path leads to something redacted, or through it. The empty path is the whole payload. */
export function redactedPaths(pointers: readonly string[]): (path: readonly string[]) => boolean {
  const redacted = pointers.map(pathOf)
  return (path) =>
    redacted.some((steps) => steps.slice(0, path.length).every((step, n) => isSameStep(step, path[n] ?? '')))
}

/** Postgres reads 00 as 0, and counts negative numbers from the end of a list, which may be anywhere. */
function isSameStep(redacted: string, step: string): boolean {
  if (redacted === '*' || redacted === step) return true
  if (!/^\d+$/.test(redacted) || !/^-?\d+$/.test(step)) return false
  return step.startsWith('-') || Number(step) === Number(redacted)
}

function pathOf(pointer: string): string[] {
  if (!/^(\/[^/]+)+$/.test(pointer))
    throw invalidInput('/redact', `"${pointer}" is not a JSON pointer like /card/number`)
  return pointer
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Copies only what changes. */
function redacted(value: unknown, [step, ...rest]: readonly string[]): unknown {
  if (step === undefined) return REDACTED
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value))
    return value.map((each, index) => (step === '*' || step === String(index) ? redacted(each, rest) : each))
  const names = step === '*' ? Object.keys(value) : Object.hasOwn(value, step) ? [step] : []
  const fields = value as Record<string, unknown>
  return names.length === 0
    ? value
    : { ...fields, ...Object.fromEntries(names.map((name) => [name, redacted(fields[name], rest)])) }
}
