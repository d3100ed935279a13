/** What an answer lacks of what was expected, each with its place; more than that it may have. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

export function differencesIn(wanted: unknown, found: unknown, place = ''): string[] {
  if (wanted === '$any') return found === null || found === undefined ? [`${place || '/'} is missing`] : []
  if (wanted === '$time')
    return typeof found === 'string' && TIME.test(found) ? [] : [`${place || '/'} is no time: ${show(found)}`]
  if (Array.isArray(wanted)) {
    if (!Array.isArray(found) || found.length !== wanted.length)
      return [`${place || '/'} must have ${wanted.length} entries: ${show(found)}`]
    return wanted.flatMap((each, index) => differencesIn(each, found[index], `${place}/${index}`))
  }
  if (typeof wanted === 'object' && wanted !== null) {
    if (typeof found !== 'object' || found === null)
      return [`${place || '/'} must be an object: ${show(found)}`]
    return Object.entries(wanted).flatMap(([name, each]) =>
      differencesIn(each, (found as Record<string, unknown>)[name], `${place}/${name}`),
    )
  }
  return Object.is(wanted, found) ? [] : [`${place || '/'} is ${show(found)}, not ${show(wanted)}`]
}

function show(value: unknown): string {
  return (JSON.stringify(value) ?? 'missing').slice(0, 200)
}
