/**
 * Counters and histograms of prom-client that are plain numbers. prom-client looks up a series by its labels at every observation, which
 * takes about as long as everything else that a worker does for a small job. Here a frequent observer keeps the cell of its series and adds
 * to it. prom-client checks names, help, labels and buckets, and its registry prints them.
 */
import { Counter, Histogram, type MetricObjectWithValues, type MetricValue, type Registry } from 'prom-client'
import type { Family } from './family.js'
import { LABEL_VALUES_MAX, LabelValues, OTHER, SERIES_MAX } from './label-values.js'

interface Series<Cell> {
  readonly labels: Record<string, string>
  readonly cell: Cell
}

/** The series of one family, by the values of their labels. */
class AllSeries<Cell> {
  readonly #names: readonly string[]
  readonly #make: () => Cell
  readonly #values: LabelValues
  readonly #known = new Map<string, Series<Cell>>()

  constructor(names: readonly string[], make: () => Cell, valuesMax: number) {
    this.#names = names
    this.#make = make
    this.#values = new LabelValues(names.length, valuesMax)
  }

  of(values: readonly string[]): Cell {
    const bounded = this.#values.bounded(values)
    return this.#known.get(keyOf(bounded))?.cell ?? this.#add(bounded)
  }

  list(): Series<Cell>[] {
    return [...this.#known.values()]
  }

  #add(bounded: readonly string[]): Cell {
    const room = this.#known.size < SERIES_MAX
    const values = room ? bounded : bounded.map(() => OTHER)
    const key = keyOf(values)
    let series = this.#known.get(key)
    if (series === undefined) {
      const labels = Object.fromEntries(this.#names.map((name, index) => [name, values[index] ?? OTHER]))
      series = { labels, cell: this.#make() }
      this.#known.set(key, series)
    }
    return series.cell
  }
}

function keyOf(values: readonly string[]): string {
  return values.join('\0')
}

export class CounterCell {
  value = 0

  add(count = 1): void {
    this.value += count
  }
}

export class HistogramCell {
  readonly #bounds: readonly number[]
  /** The number of values up to each bound and above the previous one; the last has no bound. */
  readonly counts: number[]
  sum = 0

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.counts = new Array<number>(bounds.length + 1).fill(0)
  }

  observe(value: number): void {
    const bounds = this.#bounds
    let at = 0
    while (at < bounds.length && value > (bounds[at] as number)) at += 1
    this.counts[at] = (this.counts[at] as number) + 1
    this.sum += value
  }
}

type Printed = MetricObjectWithValues<MetricValue<string>>

export class CellCounter extends Counter {
  readonly #series: AllSeries<CounterCell>

  constructor(family: Family, registry: Registry, valuesMax = LABEL_VALUES_MAX) {
    super(configOf(family, registry))
    this.#series = new AllSeries(family.labels, () => new CounterCell(), valuesMax)
    // A counter without labels is exported from the start.
    if (family.labels.length === 0) this.cell()
  }

  cell(...values: string[]): CounterCell {
    return this.#series.of(values)
  }

  override async get(): Promise<Printed> {
    const shape = await super.get()
    const values = this.#series.list().map(({ labels, cell }) => ({ labels, value: cell.value }))
    return { ...shape, values }
  }
}

export class CellHistogram extends Histogram {
  readonly #series: AllSeries<HistogramCell>
  readonly #family: Family

  constructor(family: Family, registry: Registry, valuesMax = LABEL_VALUES_MAX) {
    const buckets = [...(family.buckets ?? [])]
    super({ ...configOf(family, registry), buckets })
    this.#family = family
    this.#series = new AllSeries(family.labels, () => new HistogramCell(buckets), valuesMax)
  }

  cell(...values: string[]): HistogramCell {
    return this.#series.of(values)
  }

  /** What the registry prints. */
  async getForPromString(): Promise<{ name: string; help: string; type: string; values: unknown[] }> {
    const { name, help, type, buckets = [] } = this.#family
    const values = this.#series.list().flatMap(({ labels, cell }) => printed(name, labels, cell, buckets))
    return { name, help, type, values }
  }
}

function printed(name: string, labels: object, { counts, sum }: HistogramCell, bounds: readonly number[]) {
  let below = 0
  const buckets = [...bounds, '+Inf'].map((le, index) => {
    below += counts[index] ?? 0
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: below }
  })
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: below },
  ]
}

function configOf({ name, help, labels }: Family, registry: Registry) {
  return { name, help, labelNames: [...labels], registers: [registry] }
}
