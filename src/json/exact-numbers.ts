/** Whole numbers in JSON text that JavaScript cannot hold exactly. They are refused: stored, they would be other numbers. */

export const NUMBER_REFUSED = 'has a whole number too large to be exact; send it as text'

/** Whether this token is a whole number that `Number` would change. */
export function isChanged(token: string): boolean {
  if (token.length < 16 || !/^-?\d{16,}$/.test(token)) return false
  const value = Number(token)
  if (Number.isSafeInteger(value)) return false
  return !Number.isFinite(value) || BigInt(token) !== BigInt(value)
}

/** Matches strings as well, so that digits inside them do not count. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

export function* numbersIn(text: string): Generator<string> {
  for (const [token] of text.matchAll(TOKEN)) if (!token.startsWith('"')) yield token
}
