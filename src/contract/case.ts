/**
 * JSON on the wire has snake_case names, TypeScript has camelCase; they are translated here. One level deep, because what is below is
 * the user's own data. Times become ISO text.
 */
const snakes = new Map<string, string>()
const camels = new Map<string, string>()

function memo(known: Map<string, string>, name: string, make: (name: string) => string): string {
  let word = known.get(name)
  if (word === undefined) {
    word = make(name)
    // Names come from our own schemas; a bound all the same, should one ever come from elsewhere.
    if (known.size < 10_000) known.set(name, word)
  }
  return word
}

export function snake(name: string): string {
  return memo(snakes, name, (word) => word.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
}

export function camel(name: string): string {
  return memo(camels, name, (word) =>
    word.replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase()),
  )
}

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
