/** Columns of the table of jobs: fewer on a narrow screen. */
import { signal } from '@preact/signals'
import { parseSearch } from '../../../../src/search/search.js'
import { BigNumber } from '../../api/json.js'
import { link } from '../../state/url.js'
import { StateBadge } from '../../ui/badge.jsx'
import type { Column } from '../../ui/table.jsx'
import { Num, Time } from '../../ui/value.jsx'
import type { FoundJob } from './find.js'
import { query } from './query.js'

/** Rows stay when their state changes: one that has another than the search asks for needs the column. */
function oneState(q: string, rows: readonly FoundJob[]): boolean {
  const { terms } = parseSearch(q).filter
  const isAsked = terms.some(
    (term) => term.is === 'text' && term.field === 'state' && !term.not && term.values.length === 1,
  )
  return isAsked && new Set(rows.map((row) => row.state)).size <= 1
}

const small = matchMedia('(max-width: 799px)')
/** A phone: two lines a row. */
export const isSmall = signal(small.matches)
small.addEventListener('change', () => {
  isSmall.value = small.matches
})

/** The time that a person asks for: when it is due for delayed jobs, when it ended for ended ones, else when it was created. */
function whenOf(row: FoundJob): string {
  if (row.state === 'scheduled' || row.state === 'retrying') return row.visible_at
  return row.finished_at ?? row.created_at
}

const job: Column<FoundJob> = {
  name: 'job',
  label: 'job',
  width: 'minmax(140px, 1fr)',
  cell: (row) => (
    <a class="job-link" href={link({ page: 'job', id: row.id })}>
      <b class="cut" title={row.kind}>
        {row.kind}
      </b>{' '}
      <span class="mono faint">#{row.id}</span>
    </a>
  ),
}

const state: Column<FoundJob> = {
  name: 'state',
  label: 'state',
  width: '84px',
  cell: (row) => <StateBadge state={row.state} status={row.status} />,
}

const input: Column<FoundJob> = {
  name: 'input',
  label: 'input',
  width: 'minmax(120px, 1fr)',
  cell: (row) => <InputOf row={row} />,
}

const error: Column<FoundJob> = {
  name: 'error',
  label: 'error',
  width: 'minmax(140px, 1.4fr)',
  cell: (row) => {
    const text = row.last_error ?? row.reason
    return text === null ? (
      <span class="faint">{row.worker ?? ''}</span>
    ) : (
      <span title={text} class="soft">
        {text}
      </span>
    )
  },
}

const attempts: Column<FoundJob> = {
  name: 'attempts',
  label: 'tries',
  align: 'end',
  width: '36px',
  cell: (row) => <Num value={row.attempt} />,
}

const when: Column<FoundJob> = {
  name: 'when',
  label: 'when',
  align: 'end',
  width: '84px',
  cell: (row) => <Time at={whenOf(row)} />,
}

const twoLines: Column<FoundJob> = {
  ...job,
  cell: (row) => (
    <div class="two-lines">
      <div class="cut">{job.cell(row)}</div>
      <div class="cut">
        {state.cell(row)}{' '}
        <span class="soft small">{row.last_error ?? (excerpt(row.input) || row.queue)}</span>
      </div>
    </div>
  ),
}

export function columns(rows: readonly FoundJob[]): readonly Column<FoundJob>[] {
  if (isSmall.value)
    return [
      { ...twoLines, width: 'minmax(0, 1fr)' },
      { ...when, width: '84px' },
    ]
  // A search for one state needs no column for it.
  if (oneState(query.value, rows)) return [job, input, error, attempts, when]
  return [job, state, input, error, attempts, when]
}

function InputOf({ row }: { readonly row: FoundJob }) {
  const text = excerpt(row.input) || (row.key ?? row.target ?? '')
  return (
    <span class="mono soft" title={text}>
      {text}
    </span>
  )
}

const EXCERPT_VALUES = 3

/** "amount 970 · u_1926": the first plain values of an input. */
function excerpt(whole: unknown): string {
  const found: string[] = []
  const visit = (value: unknown, name: string, depth: number) => {
    if (found.length >= EXCERPT_VALUES) return
    if (value === '[redacted]') return
    if (typeof value === 'string') found.push(value.slice(0, 40))
    else if (typeof value === 'number' || typeof value === 'boolean' || value instanceof BigNumber)
      found.push(`${name} ${value}`.trim())
    else if (typeof value === 'object' && value !== null && depth < 3)
      for (const [key, each] of Object.entries(value)) visit(each, Array.isArray(value) ? '' : key, depth + 1)
  }
  visit(whole, '', 0)
  return found.join(' · ')
}
