/** Serialises anything that can be thrown into JSON, for the server to store. Never throws. */

const CAUSES_MAX = 5

export function plainError(thrown: unknown): string | { name?: string; message?: string; stack?: string } {
  if (typeof thrown !== 'object' || thrown === null) return String(thrown)
  const name = textIn(thrown, 'name') ?? makerOf(thrown)
  const message = textIn(thrown, 'message') ?? textIn(thrown, 'code') ?? messagesIn(thrown) ?? jsonOf(thrown)
  const stack = stacksOf(thrown)
  return {
    ...(name === undefined ? {} : { name }),
    message,
    ...(stack === '' ? {} : { stack }),
  }
}

function read(from: object, key: string): unknown {
  try {
    return (from as Record<string, unknown>)[key]
  } catch {
    return undefined
  }
}

function textIn(from: object, key: string): string | undefined {
  const value = read(from, key)
  return typeof value === 'string' && value !== '' ? value : undefined
}

function makerOf(thrown: object): string | undefined {
  const maker = read(thrown, 'constructor')
  return typeof maker === 'function' ? textIn(maker, 'name') : undefined
}

/** An AggregateError has no message of its own. */
function messagesIn(thrown: object): string | undefined {
  const errors = read(thrown, 'errors')
  if (!Array.isArray(errors) || errors.length === 0) return undefined
  return errors
    .slice(0, CAUSES_MAX)
    .map((error) => (typeof error === 'object' && error !== null ? textIn(error, 'message') : String(error)))
    .join('; ')
}

function jsonOf(thrown: object): string {
  try {
    return JSON.stringify(thrown) ?? ''
  } catch {
    return Object.prototype.toString.call(thrown)
  }
}

function stacksOf(thrown: object): string {
  const stacks: string[] = []
  let current: unknown = thrown
  for (let depth = 0; depth < CAUSES_MAX && typeof current === 'object' && current !== null; depth++) {
    const stack = textIn(current, 'stack')
    if (stack !== undefined) stacks.push(stack)
    current = read(current, 'cause')
  }
  return stacks.join('\nCaused by: ')
}
