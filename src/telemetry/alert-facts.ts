/** Alerts as gauges: how many stand, and what their rules look at. */
import { LABEL_VALUES_MAX, OTHER, SERIES_MAX } from './label-values.js'

export interface AlertFacts {
  /** One each for tenant, rule and state, without those that have cleared. */
  readonly alerts: readonly {
    readonly tenant: string
    readonly rule: string
    readonly state: string
    readonly count: number
  }[]
  readonly values: readonly {
    readonly tenant: string
    readonly rule: string
    readonly subject: string
    readonly value: number
  }[]
}

type Series = [Record<string, string>, number]

export function alertSeries({ alerts, values }: AlertFacts): { alerts: Series[]; values: Series[] } {
  const tenants = bounded()
  const subjects = bounded()
  const counts = new Map<string, Series>()
  for (const { tenant, rule, state, count } of alerts) {
    const labels = { tenant: tenants(tenant), rule, state }
    const key = Object.values(labels).join('\0')
    counts.set(key, [labels, (counts.get(key)?.[1] ?? 0) + count])
  }
  const worst = new Map<string, Series>()
  for (const { tenant, rule, subject, value } of values) {
    const labels = { tenant: tenants(tenant), rule, subject: subjects(subject) }
    const key = Object.values(labels).join('\0')
    // Of those that share their labels the worst is told.
    if (worst.has(key) || worst.size < SERIES_MAX)
      worst.set(key, [labels, Math.max(worst.get(key)?.[1] ?? 0, value)])
  }
  return { alerts: [...counts.values()], values: [...worst.values()] }
}

function bounded(): (value: string) => string {
  const seen = new Set<string>()
  return (value) => {
    if (seen.size < LABEL_VALUES_MAX) seen.add(value)
    return seen.has(value) ? value : OTHER
  }
}
