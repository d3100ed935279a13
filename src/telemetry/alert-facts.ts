/** Alerts as gauges: how many are active, and the values that their rules measure. */
import { LABEL_VALUES_MAX, OTHER, SERIES_MAX } from './label-values.js'

export interface AlertGauges {
  /** One entry for each tenant, rule and state, without cleared alerts. */
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

type GaugeSeries = [Record<string, string>, number]

export function alertSeries({ alerts, values }: AlertGauges): {
  alerts: GaugeSeries[]
  values: GaugeSeries[]
} {
  const tenants = bounded()
  const subjects = bounded()
  const counts = new Map<string, GaugeSeries>()
  for (const { tenant, rule, state, count } of alerts) {
    const labels = { tenant: tenants(tenant), rule, state }
    const key = Object.values(labels).join('\0')
    counts.set(key, [labels, (counts.get(key)?.[1] ?? 0) + count])
  }
  const worst = new Map<string, GaugeSeries>()
  for (const { tenant, rule, subject, value } of values) {
    const labels = { tenant: tenants(tenant), rule, subject: subjects(subject) }
    const key = Object.values(labels).join('\0')
    // Of alerts with the same labels, the worst is exported.
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
