/**
 * Limits the number of label values. Users name services, buckets and errors, which become labels, and every value costs memory in a metrics
 * store. So the values of each label and the series of each family are bounded; further values become `other` and are still counted.
 */
export const OTHER = 'other'

/** Distinct values of one label of one family. */
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

  /** The values to use in a series. */
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
