/** What JSON allows and we do not, because reading it would change it or it would change what reads it. */

export const PROTO_REFUSED = 'the key "__proto__" is not allowed'
export const NUMBER_REFUSED = 'a whole number is too large to be kept exactly; send it as text'

/** Whether a number, as it is written, is a whole one that would come out as another. */
export function isChanged(token: string): boolean {
  if (token.length < 16 || !/^-?\d{16,}$/.test(token)) return false
  const value = Number(token)
  if (Number.isSafeInteger(value)) return false
  return !Number.isFinite(value) || BigInt(token) !== BigInt(value)
}
