/** Lays a table out in a given width: columns as wide as their content, one of them shortened, others left out where there is no room. */
import { BLANK, type Line, type Piece, piece, type Style } from './line.js'
import { displayWidth, padded, safeText } from './text.js'

export interface TopColumn<Row> {
  readonly title: string
  readonly value: (row: Row) => string
  readonly right?: boolean
  /** The column to shorten when the line is too long. */
  readonly shrinks?: boolean
  /** Left out on a terminal with fewer columns. */
  readonly fromWidth?: number
  readonly style?: (row: Row) => Style
}

export interface TopTable {
  readonly title: Line
  readonly lines: readonly Line[]
}

/** Where a table is shown, and which row of it is selected. */
export interface TablePlace {
  readonly width: number
  readonly selected: string | undefined
}

const GAP = '  '
/** Before each row: what shows which one is selected. */
const MARK_WIDTH = 2
const SHRUNK_MIN = 8

export function tableOf<Row>(
  rows: readonly Row[],
  ids: readonly string[],
  columns: readonly TopColumn<Row>[],
  { width, selected }: TablePlace,
): TopTable {
  const texts = rows.map((row) => columns.map(({ value }) => safeText(value(row))))
  const shown = columns
    .map((column, n) => ({ column, n, width: widest(column.title, texts, n) }))
    // A column without a value in any row only takes room.
    .filter(({ column, n }) => (column.fromWidth ?? 0) <= width && texts.some((line) => line[n] !== ''))
  const needed = shown.reduce((sum, each) => sum + each.width + GAP.length, MARK_WIDTH - GAP.length)
  const flexible = shown.find(({ column }) => column.shrinks === true)
  if (flexible !== undefined && needed > width)
    flexible.width = Math.max(SHRUNK_MIN, flexible.width - (needed - width))
  const cells = (textOf: (n: number) => string, styleOf: (column: TopColumn<Row>) => Style): Piece[] =>
    shown.flatMap(({ column, n, width: columnWidth }, at) => [
      ...(at === 0 ? [] : [piece(GAP)]),
      piece(padded(textOf(n), columnWidth, column.right), styleOf(column)),
    ])
  return {
    title:
      rows.length === 0
        ? BLANK
        : titleLine(
            cells(
              (n) => columns[n]?.title ?? '',
              () => 'dim',
            ),
          ),
    lines: rows.map((row, at) => ({
      ...marked(
        cells(
          (n) => texts[at]?.[n] ?? '',
          (column) => column.style?.(row) ?? 'plain',
        ),
        ids[at] === selected,
      ),
      row: ids[at] ?? '',
    })),
  }
}

function widest(title: string, texts: readonly (readonly string[])[], n: number): number {
  return texts.reduce((max, line) => Math.max(max, displayWidth(line[n] ?? '')), displayWidth(title))
}

/** The title of the first column is the heading of the table, at the edge of the screen. */
function titleLine([first, ...others]: readonly Piece[]): Line {
  const width = displayWidth(first?.text ?? '') + MARK_WIDTH
  return { pieces: [piece(padded((first?.text ?? '').trim(), width), 'bold'), ...others] }
}

/** The mark shows the selected line on terminals without inverted text, too. */
export function marked(pieces: readonly Piece[], isSelected: boolean): Line {
  return { pieces: [piece(isSelected ? '› ' : '  '), ...pieces], ...(isSelected ? { inverse: true } : {}) }
}
