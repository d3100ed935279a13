/**
 * Keeps the values of labels few. Whoever names a service, a bucket or an error decides what stands in a label, and a store of metrics
 * pays for every value it has ever seen. So each label of a family has so many values and no more, and each family so many series;
 * what comes later reads `other`, and is still counted.
 */
export const OTHER = 'other'

/** Different values of one label of one family. */
export const LABEL_VALUES_MAX = 100
/** Combinations of values of one family. */
export const SERIES_MAX = 1_000
/** Characters of one value; the rest is cut. */
export const LABEL_CHARS_MAX = 100

export class LabelValues {
  readonly #seen: readonly Set<string>[]
  readonly #valuesMax: number

  constructor(labels: number, valuesMax = LABEL_VALUES_MAX) {
    this.#seen = Array.from({ length: labels }, () => new Set<string>())
    this.#valuesMax = valuesMax
  }

  /** The values as they may stand in a series. */
  bounded(values: readonly string[]): string[] {
    return this.#seen.map((seen, index) => {
      const value = (values[index] ?? '').slice(0, LABEL_CHARS_MAX) || OTHER
      if (seen.has(value)) return value
      if (seen.size >= this.#valuesMax) return OTHER
      seen.add(value)
      return value
    })
  }
}
