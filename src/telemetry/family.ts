/**
 * The type of a metric family. Each family is declared once, in server-families.ts or worker-families.ts, which registries, docs/metrics.md
 * and the tests that compare them are made from.
 *
 * There are two registries, because there are two kinds of processes and one name (`db_query_duration_seconds`) has different labels and
 * buckets in each: `server` for the HTTP server, `worker` for a process that works on jobs. Holdfast's own families begin with
 * `holdfast_`; the names, labels and buckets of the others are given by the lifecycle document and must not change.
 *
 * No label is an id, and the values of each label are bounded: further values become `other` (label-values.ts).
 */
export interface Family {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly labels: readonly string[]
  /** Upper bounds of a histogram, without the last, which is infinite. */
  readonly buckets?: readonly number[]
  readonly origin: 'lifecycle' | 'holdfast'
}

type FamilyEntry = Omit<Family, 'name' | 'origin'>

export const counter = (help: string, labels: readonly string[]): FamilyEntry => ({
  type: 'counter',
  help,
  labels,
})
export const gauge = (help: string, labels: readonly string[]): FamilyEntry => ({
  type: 'gauge',
  help,
  labels,
})
export const histogram = (
  help: string,
  labels: readonly string[],
  buckets: readonly number[],
): FamilyEntry => ({
  type: 'histogram',
  help,
  labels,
  buckets,
})

/** Keeps the names as types, so that observing a family that is not in the table does not compile. */
export function families<Name extends string>(
  table: { readonly [N in Name]: FamilyEntry },
): {
  readonly [N in Name]: Family
} {
  const named = Object.entries<FamilyEntry>(table).map(([name, entry]) => {
    const origin = name.startsWith('holdfast_') ? 'holdfast' : 'lifecycle'
    return [name, { name, ...entry, origin }]
  })
  return Object.fromEntries(named)
}

export const CALL_SECONDS = [0.1, 0.3, 0.5, 1, 2, 5, 10]

export const EXTERNAL = {
  external_duration_seconds: histogram(
    'Duration of external service calls',
    ['service', 'operation'],
    CALL_SECONDS,
  ),
  external_error_total: counter('External service errors', ['service', 'operation', 'error_code']),
}

/** Exported by every process. */
export const EVERYWHERE = {
  holdfast_build_info: gauge('Always 1; the labels have the versions', ['version', 'node']),
  holdfast_jobs_enqueued_total: counter('Jobs this process has enqueued', ['tenant', 'queue']),
  holdfast_stale_writes_refused_total: counter(
    'Writes refused because the lease of their attempt was lost',
    [],
  ),
  holdfast_db_pool_connections: gauge(
    'Connections to the database by state (busy, idle) and calls that wait for one (waiting)',
    ['state'],
  ),
}
