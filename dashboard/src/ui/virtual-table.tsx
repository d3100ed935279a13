/**
 * A long list: only the rows on the screen are in the document, and the next page is loaded before the end comes into view (keyset paging).
 * The window scrolls, so that the page has one scroll bar.
 */
import { signal } from '@preact/signals'
import { observeWindowOffset, observeWindowRect, Virtualizer, windowScroll } from '@tanstack/virtual-core'
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { type Column, classOf } from './table.jsx'

export interface Selection<Key> {
  readonly has: (key: Key) => boolean
  readonly toggle: (key: Key, range: boolean) => void
  /** Of the check box in the head: all, some or none of the rows shown. */
  readonly all: 'all' | 'some' | 'none'
  readonly toggleAll: () => void
}

interface VirtualTableProps<Row> {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => number
  /** For screen readers, when more rows exist than are loaded. */
  readonly total?: number
  readonly selection?: Selection<number>
  readonly hasMore?: boolean
  readonly loadMore?: () => unknown
  readonly rowHeight?: number
  readonly rowTone?: (row: Row) => string | undefined
  /** Below the last row: "looked back to 09:14 · look further". */
  readonly end?: ComponentChildren
}

const AHEAD = 12

export function VirtualTable<Row>(props: VirtualTableProps<Row>) {
  const {
    label,
    columns,
    rows,
    rowKey,
    selection,
    hasMore = false,
    loadMore,
    rowHeight = 36,
    rowTone,
  } = props
  const body = useRef<HTMLDivElement>(null)
  const drawn = useMemo(() => signal(0), [])
  const { virtualizer, update } = useMemo(() => {
    const settings = (rowsNow: number, margin: number) => ({
      count: rowsNow,
      scrollMargin: margin,
      estimateSize: () => rowHeight,
      getScrollElement: () => window,
      observeElementRect: observeWindowRect,
      observeElementOffset: observeWindowOffset,
      scrollToFn: windowScroll,
      initialOffset: () => window.scrollY,
      overscan: 10,
      onChange: () => {
        drawn.value++
      },
    })
    const created = new Virtualizer<Window, Element>(settings(rows.length, 0))
    return {
      virtualizer: created,
      update: (n: number, margin: number) => created.setOptions(settings(n, margin)),
    }
  }, [rowHeight])
  useEffect(() => virtualizer._didMount(), [virtualizer])
  useLayoutEffect(() => {
    const margin = body.current === null ? 0 : body.current.getBoundingClientRect().top + window.scrollY
    update(rows.length, margin)
    virtualizer._willUpdate()
    drawn.value++
  }, [rows.length, virtualizer])

  void drawn.value
  const shown = virtualizer.getVirtualItems()
  const last = shown.at(-1)?.index ?? -1
  useEffect(() => {
    if (hasMore && last >= rows.length - AHEAD) loadMore?.()
  }, [last, rows.length, hasMore])

  const tracks = [selection === undefined ? '' : '28px', ...columns.map(({ width = '1fr' }) => width)].join(
    ' ',
  )
  const margin = virtualizer.options.scrollMargin ?? 0
  const template = { gridTemplateColumns: tracks }
  return (
    <div class="virtual" role="table" aria-label={label} aria-rowcount={(props.total ?? rows.length) + 1}>
      <div role="rowgroup">
        <div class="virtual-head" role="row" style={template} aria-rowindex={1}>
          {selection !== undefined && (
            <div role="columnheader">
              <CheckAll selection={selection} />
            </div>
          )}
          {columns.map(({ name, label, align, wideOnly }) => (
            <div key={name} role="columnheader" class={classOf(align, wideOnly)}>
              {label}
            </div>
          ))}
        </div>
      </div>
      <div
        ref={body}
        class="virtual-body"
        role="rowgroup"
        style={{ height: `${virtualizer.getTotalSize()}px` }}
      >
        {shown.map(({ index, start }) => {
          const row = rows[index]
          if (row === undefined) return null
          const key = rowKey(row)
          return (
            <div
              key={key}
              class={`virtual-row ${rowTone?.(row) ?? ''}`}
              role="row"
              aria-rowindex={index + 2}
              aria-selected={selection?.has(key)}
              data-row={key}
              tabIndex={-1}
              style={{ ...template, height: `${rowHeight}px`, transform: `translateY(${start - margin}px)` }}
            >
              {selection !== undefined && (
                <div role="cell">
                  <label class="check-cell">
                    <input
                      type="checkbox"
                      data-select
                      aria-label={`Select row ${key}`}
                      checked={selection.has(key)}
                      onClick={(event) => selection.toggle(key, event.shiftKey)}
                    />
                  </label>
                </div>
              )}
              {columns.map(({ name, cell, align, wideOnly }) => (
                <div key={name} role="cell" class={`cut ${classOf(align, wideOnly) ?? ''}`}>
                  {cell(row)}
                </div>
              ))}
            </div>
          )
        })}
      </div>
      {props.end}
    </div>
  )
}

function CheckAll({ selection }: { readonly selection: Selection<number> }) {
  const box = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    if (box.current !== null) box.current.indeterminate = selection.all === 'some'
  })
  return (
    <label class="check-cell">
      <input
        ref={box}
        type="checkbox"
        aria-label="Select all rows"
        checked={selection.all === 'all'}
        onClick={selection.toggleAll}
      />
    </label>
  )
}
