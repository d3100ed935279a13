/**
 * Text as a terminal shows it. Keys, errors and names of workers come from anywhere, so everything that reaches the screen passes `safeText`:
 * no data can send an escape sequence, change the direction of a line, or occupy another width than was counted.
 */

/** Ranges of characters that occupy two columns: East Asian wide and full-width ones, and emoji. */
const WIDE: readonly (readonly [from: number, to: number])[] = [
  [0x1100, 0x115f],
  [0x231a, 0x231b],
  [0x23e9, 0x23ec],
  [0x25fd, 0x25fe],
  [0x2614, 0x2615],
  [0x2648, 0x2653],
  [0x26a1, 0x26a1],
  [0x26bd, 0x26be],
  [0x26c4, 0x26c5],
  [0x2705, 0x2705],
  [0x270a, 0x270b],
  [0x2728, 0x2728],
  [0x274c, 0x274c],
  [0x2753, 0x2755],
  [0x2795, 0x2797],
  [0x2b1b, 0x2b1c],
  [0x2b50, 0x2b50],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f004, 0x1f004],
  [0x1f0cf, 0x1f0cf],
  [0x1f18e, 0x1f18e],
  [0x1f191, 0x1f19a],
  [0x1f1e6, 0x1f202],
  [0x1f210, 0x1f265],
  [0x1f300, 0x1f64f],
  [0x1f680, 0x1f6ff],
  [0x1f7e0, 0x1f7eb],
  [0x1f900, 0x1faff],
  [0x20000, 0x3fffd],
]

/** Characters without a width of their own: they are drawn on the one before. */
const COMBINING = /^[\p{Mn}\p{Me}]$/u

/** White space that would move the cursor, then every other control, and lone halves of a character. */
const SPACING = /[\t\n\v\f\r\u0085\u2028\u2029]+/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it replaces
const CONTROL = /[\x00-\x1f\x7f-\x9f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g
/** Invisible characters that reorder or join others, and variation selectors, which terminals measure differently. */
const INVISIBLE = /\p{Cf}|\p{Variation_Selector}/gu
/** More marks than this on one character would spill over the lines above and below. */
const MARKS = /([\p{Mn}\p{Me}]{2})[\p{Mn}\p{Me}]+/gu

export function safeText(text: string): string {
  return text.replace(SPACING, ' ').replace(CONTROL, '\ufffd').replace(INVISIBLE, '').replace(MARKS, '$1')
}

function widthOfCharacter(character: string): number {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x300) return 1
  if (COMBINING.test(character)) return 0
  return WIDE.some(([from, to]) => code >= from && code <= to) ? 2 : 1
}

/** Columns that a safe text occupies. */
export function displayWidth(text: string): number {
  let width = 0
  for (const character of text) width += widthOfCharacter(character)
  return width
}

/** A safe text within `width` columns; a shortened one ends in an ellipsis. */
export function fitted(text: string, width: number): string {
  if (displayWidth(text) <= width) return text
  if (width <= 0) return ''
  let taken = ''
  let used = 0
  for (const character of text) {
    const next = widthOfCharacter(character)
    if (used + next > width - 1) break
    taken += character
    used += next
  }
  return `${taken}…`
}

/** Filled with spaces to exactly `width` columns. */
export function padded(text: string, width: number, right = false): string {
  const cut = fitted(text, width)
  const gap = ' '.repeat(Math.max(0, width - displayWidth(cut)))
  return right ? `${gap}${cut}` : `${cut}${gap}`
}

/** Lines of at most `width` columns, broken at spaces; what has none is broken anywhere. */
export function wrapped(text: string, width: number): string[] {
  if (width <= 0) return []
  const lines: string[] = []
  let line = ''
  for (const part of text.split(' ')) {
    const joined = line === '' ? part : `${line} ${part}`
    if (displayWidth(joined) <= width) {
      line = joined
      continue
    }
    if (line !== '') lines.push(line)
    const pieces = piecesOf(part, width)
    line = pieces.pop() ?? ''
    lines.push(...pieces)
  }
  return line === '' && lines.length > 0 ? lines : [...lines, line]
}

function piecesOf(part: string, width: number): string[] {
  const pieces: string[] = []
  let piece = ''
  for (const character of part) {
    if (displayWidth(piece + character) > width && piece !== '') {
      pieces.push(piece)
      piece = ''
    }
    piece += character
  }
  return [...pieces, piece]
}
