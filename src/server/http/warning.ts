/** Warnings to the caller of a request that was carried out, but not quite as sent. */

export const WARNING_HEADER = 'holdfast-warning'

const NAMES_MAX = 5

/** A header may have printable ASCII only, and a name comes from the caller. */
const shown = (name: string) => encodeURIComponent(name.replace(/\p{Surrogate}/gu, '\u{FFFD}')).slice(0, 60)

export function ignoredParameters(names: readonly string[]): string {
  const list = names.slice(0, NAMES_MAX).map(shown).join(' ')
  return `ignored unknown query parameters: ${list}${names.length > NAMES_MAX ? ' and others' : ''}`
}

export function cappedLimit(asked: number, max: number): string {
  return `limit ${asked} is over the maximum; ${max} was used`
}
