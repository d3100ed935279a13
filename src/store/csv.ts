/**
 * Cells and lines of CSV (RFC 4180: CRLF, `"` doubled). A missing value and null are an empty cell, empty text is `""`; nested values are JSON.
 *
 * A spreadsheet runs a cell that begins like a formula, and payloads contain untrusted text, so such text gets a `'` in front. Signed
 * numbers and phone numbers keep their sign: without letters they cannot run.
 */

export function csvCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return csvText(typeof value === 'string' ? value : JSON.stringify(value))
}

const FORMULA = /^[=+\-@\t\r\n|%＝＋－＠]/
const SIGNED_DIGITS = /^[+-]\d[\d ().-]*$/
/** Everything else is quoted, including text that another separator than the comma would split. */
const PLAIN = /^[\p{L}\p{N}_+.:/@-](?:[\p{L}\p{N}_+.:/@ -]*[\p{L}\p{N}_+.:/@-])?$/u

export function csvText(text: string): string {
  const inert = FORMULA.test(text) && !SIGNED_DIGITS.test(text) ? `'${text}` : text
  return PLAIN.test(inert) ? inert : `"${inert.replace(/"/g, '""')}"`
}

export function csvLine(cells: readonly string[]): string {
  return `${cells.join(',')}\r\n`
}
