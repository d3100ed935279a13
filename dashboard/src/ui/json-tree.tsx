/** JSON as a tree: folds open and closed, keeps big numbers intact, shows what the server redacted as such. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { BigNumber } from '../api/json.js'

/** What the server writes in place of a redacted value. */
const REDACTED = '[redacted]'
/** More entries or characters are shown on demand, so that a payload of a megabyte does not stop the page. */
const ENTRIES = 100
const CHARS = 500
const OPEN_DEPTH = 2
const OPEN_ENTRIES = 30

interface JsonTreeProps {
  readonly value: unknown
  /** For screen readers: "Input". */
  readonly label: string
}

export function JsonTree({ value, label }: JsonTreeProps) {
  return (
    <div class="json" role="group" aria-label={label} tabIndex={0}>
      <Value value={value} depth={0} />
    </div>
  )
}

interface ValueProps {
  readonly value: unknown
  readonly depth: number
  readonly name?: ComponentChildren
  readonly comma?: boolean
}

function Value({ value, depth, name, comma = false }: ValueProps) {
  const end = comma ? ',' : ''
  if (typeof value !== 'object' || value === null || value instanceof BigNumber) {
    return (
      <div class="json-line">
        {name}
        <Scalar value={value} />
        {end}
      </div>
    )
  }
  const entries = Array.isArray(value)
    ? value.map((each): [string | null, unknown] => [null, each])
    : Object.entries(value as Record<string, unknown>)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  if (entries.length === 0) {
    return (
      <div class="json-line">
        {name}
        {open}
        {close}
        {end}
      </div>
    )
  }
  return <Branch name={name} entries={entries} brackets={[open ?? '', close ?? '']} depth={depth} end={end} />
}

interface BranchProps {
  readonly name: ComponentChildren
  readonly entries: readonly (readonly [string | null, unknown])[]
  readonly brackets: readonly [string, string]
  readonly depth: number
  readonly end: string
}

function Branch({ name, entries, brackets: [open, close], depth, end }: BranchProps) {
  const [isOpen, setOpen] = useState(depth < OPEN_DEPTH && entries.length <= OPEN_ENTRIES)
  const [shown, setShown] = useState(ENTRIES)
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary class="json-line">
        {name}
        {open}
        {!isOpen && (
          <span class="faint">
            {' '}
            {entries.length} {entries.length === 1 ? 'entry' : 'entries'} {close}
            {end}
          </span>
        )}
      </summary>
      {isOpen && (
        <>
          <div class="json-inside">
            {entries.slice(0, shown).map(([key, each], n) => (
              <Value
                key={n}
                value={each}
                depth={depth + 1}
                comma={n < entries.length - 1}
                name={key === null ? undefined : <Name text={key} />}
              />
            ))}
            {shown < entries.length && (
              <button type="button" class="button quiet" onClick={() => setShown(shown + 10 * ENTRIES)}>
                {entries.length - shown} more
              </button>
            )}
          </div>
          <div class="json-line">
            {close}
            {end}
          </div>
        </>
      )}
    </details>
  )
}

function Name({ text }: { readonly text: string }) {
  return (
    <>
      <span class="json-name">{JSON.stringify(text)}</span>:{' '}
    </>
  )
}

function Scalar({ value }: { readonly value: unknown }) {
  const [whole, setWhole] = useState(false)
  if (value === REDACTED) return <span class="faint">••• redacted</span>
  if (value instanceof BigNumber) return <span class="json-number">{value.text}</span>
  if (typeof value !== 'string')
    return <span class={`json-${value === null ? 'null' : typeof value}`}>{String(value)}</span>
  const cut = !whole && value.length > CHARS
  return (
    <>
      <span class="json-string">{JSON.stringify(cut ? value.slice(0, CHARS) : value)}</span>
      {cut && (
        <button type="button" class="button quiet" onClick={() => setWhole(true)}>
          {value.length - CHARS} more characters
        </button>
      )}
    </>
  )
}
