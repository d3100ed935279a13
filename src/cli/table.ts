/** Tables for people: as wide as what is in them, at most as the terminal, numbers to the right, one column giving way when room is short. */
import type { Terminal } from './terminal.js'

export interface Column<Row> {
  readonly title: string
  readonly of: (row: Row) => string
  readonly right?: boolean
  /** Shortened first when the line is too long. */
  readonly gives?: boolean
  /** Applied after the width is settled: colours have no width. */
  readonly paint?: (text: string, row: Row) => string
}

const GAP = 2

/** Where there is no terminal, lines are as long as they are. */
export function widthOf({ columns }: Pick<Terminal, 'columns'>): number {
  return columns ?? Number.POSITIVE_INFINITY
}

export function printTable<Row>(
  terminal: Terminal,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
): void {
  const cells = rows.map((row) => columns.map(({ of }) => oneLine(of(row))))
  // A column nobody has anything in says nothing.
  const shown = columns.map((_, at) => cells.some((line) => line[at] !== ''))
  const widths = columns.map(({ title }, at) =>
    shown[at] ? Math.max(title.length, ...cells.map((line) => line[at]?.length ?? 0)) : 0,
  )
  const room = widthOf(terminal)
  const taken = widths.reduce((sum, width) => sum + (width > 0 ? width + GAP : 0), -GAP)
  const giving = columns.findIndex(({ gives }) => gives === true)
  const given = widths[giving]
  if (given !== undefined && taken > room) widths[giving] = Math.max(8, given - (taken - room))
  const line = (texts: readonly string[], paint: (text: string, at: number) => string) =>
    columns
      .map(({ right }, at) => {
        const width = widths[at] ?? 0
        const text = shorten(texts[at] ?? '', width)
        return shown[at] ? paint(right ? text.padStart(width) : text.padEnd(width), at) : undefined
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
    terminal.out(line(cells[n] ?? [], (text, at) => columns[at]?.paint?.(text, row) ?? text))
}

/** Names and values below each other; what has no value is left out. */
export function printFacts(
  terminal: Terminal,
  facts: readonly (readonly [label: string, value: string | null | undefined])[],
): void {
  const told = facts.filter(([, value]) => value !== null && value !== undefined && value !== '')
  const width = Math.max(...told.map(([label]) => label.length))
  for (const [label, value] of told) {
    const [first = '', ...rest] = wrap(value as string, widthOf(terminal) - width - GAP)
    terminal.out(`${terminal.paint.dim(label.padEnd(width))}${' '.repeat(GAP)}${first}`)
    for (const more of rest) terminal.out(`${' '.repeat(width + GAP)}${more}`)
  }
}

export function shorten(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`
}

/** Data may be a megabyte: a screen gets the beginning, a pipe everything. */
export function excerpt({ columns }: Pick<Terminal, 'columns'>, text: string, most: number): string {
  return columns === undefined ? text : shorten(text, most)
}

/** Breaks at spaces and at line ends; a word longer than a line keeps its line, so that it can still be copied. */
export function wrap(text: string, width: number): string[] {
  return text.split('\n').flatMap((paragraph) => {
    const lines: string[] = []
    for (const word of paragraph.split(' ')) {
      const last = lines.at(-1)
      if (last !== undefined && last.length + 1 + word.length <= width)
        lines[lines.length - 1] = `${last} ${word}`
      else lines.push(word)
    }
    return lines
  })
}

/** Control characters of somebody's data must not move the cursor of our reader. */
export function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
  return text.replace(/[\x00-\x1f\x7f-\x9f]+/g, ' ')
}
