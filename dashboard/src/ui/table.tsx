/** A plain table: every row is in the document. For long lists there is VirtualTable, with the same columns. */
import type { ComponentChildren } from 'preact'

export interface Column<Row> {
  readonly name: string
  readonly label: ComponentChildren
  readonly cell: (row: Row) => ComponentChildren
  /** Numbers are right-aligned. */
  readonly align?: 'start' | 'end'
  /** Of a grid track, in VirtualTable: `1fr`, `120px`, `minmax(80px, 2fr)`. */
  readonly width?: string
  /** Left out on narrow screens. */
  readonly wideOnly?: boolean
}

interface TableProps<Row> {
  /** For screen readers. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string | number
  readonly empty?: ComponentChildren
  readonly rowTone?: (row: Row) => string | undefined
}

export function Table<Row>({ label, columns, rows, rowKey, empty, rowTone }: TableProps<Row>) {
  if (rows.length === 0 && empty !== undefined) return <>{empty}</>
  return (
    <div class="table-scroll" role="group" aria-label={label} tabIndex={0}>
      <table class="table">
        <thead>
          <tr>
            {columns.map(({ name, label, align, wideOnly }) => (
              <th key={name} scope="col" class={classOf(align, wideOnly)}>
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)} data-row tabIndex={-1} class={rowTone?.(row)}>
              {columns.map(({ name, label, cell, align, wideOnly }) => (
                <td
                  key={name}
                  class={classOf(align, wideOnly)}
                  data-label={typeof label === 'string' ? label : undefined}
                >
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

export function classOf(
  align: 'start' | 'end' | undefined,
  wideOnly: boolean | undefined,
): string | undefined {
  const classes = [align === 'end' ? 'num' : '', wideOnly ? 'wide-only' : ''].filter((each) => each !== '')
  return classes.length === 0 ? undefined : classes.join(' ')
}
