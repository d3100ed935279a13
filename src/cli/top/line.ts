/** A line of the screen: pieces of text with a style. `paintLine` is the only way to the terminal, and makes every text safe. */
import type { Paint } from '../terminal/terminal.js'
import { displayWidth, fitted, padded, safeText } from './text.js'

export type Style = 'plain' | 'bold' | 'dim' | 'green' | 'yellow' | 'red'

export interface Piece {
  readonly text: string
  readonly style: Style
}

export interface Line {
  readonly pieces: readonly Piece[]
  /** The id of the row it belongs to; lines without one cannot be selected. */
  readonly row?: string
  /** Shown inverted over the whole width. */
  readonly inverse?: boolean
}

export const BLANK: Line = { pieces: [] }

export function piece(text: string, style: Style = 'plain'): Piece {
  return { text: safeText(text), style }
}

export function line(...pieces: readonly (Piece | string)[]): Line {
  return { pieces: pieces.map((each) => (typeof each === 'string' ? piece(each) : each)) }
}

function widthOfPieces(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { text }) => sum + displayWidth(text), 0)
}

/** Left and right at the two ends of the line; the left gives way. */
export function spread(left: readonly Piece[], right: readonly Piece[], width: number): Line {
  const gap = width - widthOfPieces(left) - widthOfPieces(right)
  if (!Number.isFinite(width)) return { pieces: [...left, piece('  '), ...right] }
  if (gap >= 2) return { pieces: [...left, piece(' '.repeat(gap)), ...right] }
  return { pieces: [...clip(left, width - widthOfPieces(right) - 2), piece('  '), ...right] }
}

function clip(pieces: readonly Piece[], width: number): Piece[] {
  let left = Math.max(0, width)
  return pieces.flatMap(({ text, style }) => {
    const cut = fitted(text, left)
    left -= displayWidth(cut)
    return cut === '' ? [] : [{ text: cut, style }]
  })
}

/** The line with its styles, at most `width` columns wide. */
export function paintLine({ pieces, inverse = false }: Line, width: number, paint: Paint): string {
  const shown = clip(
    pieces.map(({ text, style }) => ({ text: safeText(text), style })),
    width,
  )
  // Colours on an inverted line would become its background.
  if (inverse) {
    const text = shown.map(({ text }) => text).join('')
    const inverted = paint.inverse(Number.isFinite(width) ? padded(text, width) : text)
    return inverted.trimEnd()
  }
  const end = shown.findLastIndex(({ text }) => text.trim() !== '')
  return shown
    .slice(0, end + 1)
    .map(({ text, style }, n) => painted(n === end ? text.trimEnd() : text, style, paint))
    .join('')
}

function painted(text: string, style: Style, paint: Paint): string {
  return style === 'plain' || text === '' ? text : paint[style](text)
}
