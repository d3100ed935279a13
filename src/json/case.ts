/** Converts names between snake_case (database, HTTP) and camelCase (TypeScript), with a cache. */
const snakes = new Map<string, string>()
const humps = new Map<string, string>()

function memo(known: Map<string, string>, name: string, make: (name: string) => string): string {
  let converted = known.get(name)
  if (converted === undefined) {
    converted = make(name)
    // Names come from our own schemas; a bound all the same, should one ever come from elsewhere.
    if (known.size < 10_000) known.set(name, converted)
  }
  return converted
}

export function snake(name: string): string {
  return memo(snakes, name, (converted) =>
    converted.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  )
}

export function camel(name: string): string {
  return memo(humps, name, (converted) =>
    converted.replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase()),
  )
}
