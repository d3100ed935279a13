/**
 * Exports items as a file, page by page, so that a collection of any size needs the memory of one page. A slow reader slows the export
 * down, and a reader that stops ends it.
 *
 * `json` is one array of items as the library returns them. `csv` (RFC 4180: CRLF, `"` doubled) has a column for each field of the
 * first page's items, in order of first appearance, then item_id, job_id, created_at and other_fields. A field without a column (it
 * first appears in a later item, or has the name of one of the fixed columns) is kept as JSON in other_fields, so that the export
 * streams and loses nothing. A missing value and null are an empty cell, empty text is `""`; nested values are JSON.
 */
import { invalidInput } from '../domain/errors/errors.js'
import { csvCell, csvLine, csvText } from './csv.js'
import type { Item } from './rows.js'

export type ItemFormat = 'json' | 'csv'

/** An item has at most 64 KiB, so a page has at most some 6 MiB. */
const PAGE_SIZE = 100
const COLUMNS_MAX = 1_000
const FIXED_COLUMNS = ['item_id', 'job_id', 'created_at', 'other_fields']

/** `page` returns the items after an id, oldest first. */
export async function* exportItems(
  page: (afterId: number, limit: number) => Promise<Item[]>,
  format: ItemFormat,
): AsyncGenerator<string, void, undefined> {
  if (!Object.hasOwn(WRITERS, format)) {
    throw invalidInput('/format', 'must be json or csv')
  }
  const write = WRITERS[format]()
  let afterId = 0
  let items: Item[]
  do {
    items = await page(afterId, PAGE_SIZE)
    afterId = items.at(-1)?.id ?? afterId
    yield write(items, items.length < PAGE_SIZE)
  } while (items.length === PAGE_SIZE)
}

type Writer = (items: readonly Item[], isLast: boolean) => string

const WRITERS: Readonly<Record<ItemFormat, () => Writer>> = { json: jsonWriter, csv: csvWriter }

function jsonWriter(): Writer {
  let separator = '[\n'
  return (items, isLast) => {
    let text = ''
    for (const item of items) {
      text += separator + JSON.stringify(item)
      separator = ',\n'
    }
    if (!isLast) return text
    return text + (separator === '[\n' ? '[]\n' : '\n]\n')
  }
}

function csvWriter(): Writer {
  let columns: ReadonlySet<string> | undefined
  return (items) => {
    let text = ''
    if (columns === undefined) {
      columns = columnsOf(items)
      text = csvLine([...columns, ...FIXED_COLUMNS].map(csvText))
    }
    for (const item of items) text += csvLine(cellsOf(item, columns))
    return text
  }
}

function columnsOf(items: readonly Item[]): Set<string> {
  const names = new Set(items.flatMap(({ data }) => (isRecord(data) ? Object.keys(data) : [])))
  for (const name of FIXED_COLUMNS) names.delete(name)
  return new Set([...names].slice(0, COLUMNS_MAX))
}

function cellsOf(item: Item, columns: ReadonlySet<string>): string[] {
  const fields = isRecord(item.data) ? item.data : {}
  const others = Object.entries(fields).filter(([name]) => !columns.has(name))
  // An item that is not an object has no fields: it goes to other_fields as it is.
  const rest = isRecord(item.data) ? (others.length > 0 ? Object.fromEntries(others) : null) : item.data
  return [
    ...[...columns].map((name) => csvCell(Object.hasOwn(fields, name) ? fields[name] : null)),
    String(item.id),
    String(item.jobId),
    item.createdAt.toISOString(),
    rest === null ? '' : csvText(JSON.stringify(rest)),
  ]
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
