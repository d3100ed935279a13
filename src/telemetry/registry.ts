/** A registry of prom-client with every family of a table, each observed by its name. */
import { Gauge, Registry } from 'prom-client'
import { CellCounter, CellHistogram, type CounterCell, type HistogramCell } from './cells.js'
import type { Family } from './family.js'

/** Exceptions for families of a registry: how many values their labels may have if it is not the usual number. */
export type ValuesMax = Readonly<Record<string, number>>

export class Metrics<Name extends string> {
  readonly #registry = new Registry()
  readonly #counters = new Map<string, CellCounter>()
  readonly #histograms = new Map<string, CellHistogram>()
  readonly #gauges = new Map<string, Gauge>()

  constructor(families: { readonly [N in Name]: Family }, valuesMax: ValuesMax = {}) {
    for (const family of Object.values<Family>(families)) {
      const { name, type, help, labels } = family
      if (type === 'counter')
        this.#counters.set(name, new CellCounter(family, this.#registry, valuesMax[name]))
      else if (type === 'histogram')
        this.#histograms.set(name, new CellHistogram(family, this.#registry, valuesMax[name]))
      else {
        const gauge = new Gauge({ name, help, labelNames: [...labels], registers: [this.#registry] })
        this.#gauges.set(name, gauge)
      }
    }
  }

  counter(name: Name, ...values: string[]): CounterCell {
    return there(this.#counters.get(name), name).cell(...values)
  }

  histogram(name: Name, ...values: string[]): HistogramCell {
    return there(this.#histograms.get(name), name).cell(...values)
  }

  /** Replaces all values of a gauge. */
  setGauge(name: Name, values: Iterable<readonly [labels: Record<string, string>, value: number]>): void {
    const gauge = there(this.#gauges.get(name), name)
    gauge.reset()
    for (const [labels, value] of values) gauge.set(labels, value)
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  /** In the text format of Prometheus. */
  text(): Promise<string> {
    return this.#registry.metrics()
  }
}

function there<T>(metric: T | undefined, name: string): T {
  if (metric === undefined) throw new Error(`there is no such metric of this type: ${name}`)
  return metric
}
