/** Prints tables that fit the terminal: numbers are right-aligned, and one column is shortened when a line would be too long. */
import type { Terminal } from './terminal.js'

export interface Column<Row> {
  readonly title: string
  readonly value: (row: Row) => string
  readonly right?: boolean
  /** The column to shorten when the line is too long. */
  readonly shrinks?: boolean
  /** Applied after padding, because colour codes have no width. */
  readonly paint?: (text: string, row: Row) => string
}

const GAP = 2

/** Without a terminal, lines are never shortened. */
export function widthOf({ columns }: Pick<Terminal, 'columns'>): number {
  return columns ?? Number.POSITIVE_INFINITY
}

export function printTable<Row>(
  terminal: Terminal,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
): void {
  const cells = rows.map((row) => columns.map(({ value }) => oneLine(value(row))))
  // Empty columns are left out.
  const isShown = columns.map((_, n) => cells.some((line) => line[n] !== ''))
  const widths = columns.map(({ title }, n) =>
    isShown[n] ? Math.max(title.length, ...cells.map((line) => line[n]?.length ?? 0)) : 0,
  )
  const available = widthOf(terminal)
  const needed = widths.reduce((sum, width) => sum + (width > 0 ? width + GAP : 0), -GAP)
  const flexible = columns.findIndex(({ shrinks }) => shrinks === true)
  const flexibleWidth = widths[flexible]
  if (flexibleWidth !== undefined && needed > available)
    widths[flexible] = Math.max(8, flexibleWidth - (needed - available))
  const line = (texts: readonly string[], paint: (text: string, n: number) => string) =>
    columns
      .map(({ right }, n) => {
        const width = widths[n] ?? 0
        const text = shorten(texts[n] ?? '', width)
        return isShown[n] ? paint(right ? text.padStart(width) : text.padEnd(width), n) : undefined
      })
      .filter((text) => text !== undefined)
      .join(' '.repeat(GAP))
      .trimEnd()
  terminal.out(
    line(
      columns.map(({ title }) => title),
      (text) => terminal.paint.dim(text),
    ),
  )
  for (const [n, row] of rows.entries())
    terminal.out(line(cells[n] ?? [], (text, column) => columns[column]?.paint?.(text, row) ?? text))
}

/** Prints labels with their values, one a line; values that are missing or empty are left out. */
export function printFacts(
  terminal: Terminal,
  facts: readonly (readonly [label: string, value: string | null | undefined])[],
): void {
  const present = facts.filter(([, value]) => value !== null && value !== undefined && value !== '')
  const width = Math.max(...present.map(([label]) => label.length))
  for (const [label, value] of present) {
    const [first = '', ...rest] = wrap(value as string, widthOf(terminal) - width - GAP)
    terminal.out(`${terminal.paint.dim(label.padEnd(width))}${' '.repeat(GAP)}${first}`)
    for (const line of rest) terminal.out(`${' '.repeat(width + GAP)}${line}`)
  }
}

export function shorten(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`
}

/** Shortens data, which may be a megabyte, on a screen; a pipe gets all of it. */
export function excerpt({ columns }: Pick<Terminal, 'columns'>, text: string, lengthMax: number): string {
  return columns === undefined ? text : shorten(text, lengthMax)
}

/** Breaks lines at spaces and line ends. A URL or path longer than a line is not broken, so that it can be copied. */
export function wrap(text: string, width: number): string[] {
  return text.split('\n').flatMap((paragraph) => {
    const lines: string[] = []
    for (const part of paragraph.split(' ')) {
      const last = lines.at(-1)
      if (last !== undefined && last.length + 1 + part.length <= width)
        lines[lines.length - 1] = `${last} ${part}`
      else lines.push(part)
    }
    return lines
  })
}

/** Replaces control characters, so that data cannot move the reader's cursor. */
export function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it replaces
  return text.replace(/[\x00-\x1f\x7f-\x9f]+/g, ' ')
}
