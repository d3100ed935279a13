// The numbers of docs/comparison.md and of the README are those of bench/results: a new result without a new page fails here.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (file: string) => readFileSync(join(root, file), 'utf8')

interface Cell {
  readonly id: string
  readonly value: number
  readonly unit: string
  readonly ratio: number
  readonly against: { readonly what: string; readonly value: number }
  readonly spread: { readonly min: number; readonly max: number }
  readonly peer?: string
  readonly at: string
  readonly mode: string
}
interface Suite {
  readonly machine: Record<'cpu' | 'cores' | 'memoryGb' | 'postgres' | 'redis', string | number>
  readonly cells: Cell[]
}

const suites: Suite[] = ['engine', 'runtime'].map((name) => JSON.parse(read(`bench/results/${name}.json`)))

/** Every cell that was measured against another queue, in the words of the page. */
const LABELS: Record<string, string> = {
  drain_vs_graphile: 'claim and finish in batches, no handler',
  drain_vs_pgboss: 'claim and finish in batches, no handler',
  drain_vs_bullmq_redis: 'claim and finish in batches, no handler',
  drain_vs_bullmq_pg: 'claim and finish in batches, no handler',
  enqueue_bulk: 'enqueue in bulk, against the fastest peer',
  enqueue_concurrent: '100 callers, one job each, against the fastest peer',
  e2e_vs_graphile: 'no-op jobs through the worker',
  e2e_vs_bullmq: 'no-op jobs through the worker',
  e2e_vs_pgboss_work: 'no-op jobs through the worker',
  pickup_p50: 'from enqueue to the handler, median',
  pickup_p99: 'from enqueue to the handler, 99th percentile',
  mem_waiting: 'memory of the worker per waiting handler',
}
const IN_README = ['e2e_vs_graphile', 'e2e_vs_pgboss_work', 'e2e_vs_bullmq', 'pickup_p50', 'pickup_p99']

const short = (value: number) =>
  value >= 1000 ? Number(value.toPrecision(3)).toLocaleString('en-US') : String(Number(value.toPrecision(3)))
const shown = (value: number, unit: string) =>
  unit === 'jobs/s' ? `${short(value)}/s` : `${short(value)} ${unit}`

/** Whether a spread includes 1: then the rounds disagree about who is ahead. */
function verdict({ ratio, spread }: Cell): string {
  if (spread.min < 1 && spread.max > 1)
    return ratio < 1 ? '**behind**, not in every round' : 'ahead, not in every round'
  return ratio < 1 ? '**behind**' : 'ahead'
}

const rowOf = (cell: Cell) =>
  `| ${LABELS[cell.id]} | ${cell.against.what} | ${shown(cell.value, cell.unit)} | ${shown(cell.against.value, cell.unit)} | ${cell.ratio.toFixed(2)} (${cell.spread.min.toFixed(2)} … ${cell.spread.max.toFixed(2)}) | ${verdict(cell)} |`

const cells = suites.flatMap((suite) => suite.cells)
const compared = cells.filter(({ id }) => LABELS[id] !== undefined)

it.each([
  ['docs/comparison.md', Object.keys(LABELS)],
  ['README.md', IN_README],
])('%s has the numbers of bench/results', (page, ids) => {
  const rows = ids.map((id) => rowOf(cells.find((cell) => cell.id === id) as Cell))
  const table = read(page)
    .split('\n')
    .filter((line) => / \(\d+\.\d+ … \d+\.\d+\) \|/.test(line))
  expect(table).toEqual(rows)
})

it('docs/comparison.md names machine, versions and dates, and leaves out no cell with a peer', () => {
  const days = compared.map(({ at }) => at.slice(0, 10)).sort()
  const [{ machine }] = suites as [Suite]
  for (const each of suites) expect(each.machine).toEqual(machine)
  const line = `Measured from ${days[0]} to ${days.at(-1)} on ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB; Postgres ${machine.postgres}, Redis ${machine.redis}; ${[...new Set(compared.flatMap(({ peer }) => peer ?? []))].sort().join(', ')}.`
  expect(read('docs/comparison.md').replace(/\s+/g, ' ')).toContain(line)
  expect(cells.filter(({ peer, id }) => peer && LABELS[id] === undefined).map(({ id }) => id)).toEqual([])
  expect(new Set(compared.map(({ mode }) => mode))).toEqual(new Set(['full']))
})
