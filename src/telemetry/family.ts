/**
 * What a family of metrics is. Every one is said once, in server-families.ts or worker-families.ts: registries, docs/metrics.md and the
 * tests that compare them all come from there.
 *
 * There are two registries, because there are two kinds of processes and one name (`db_query_duration_seconds`) has other labels and
 * buckets in each: `server` is what the HTTP server tells, `worker` what a process that works on jobs does. `origin` is `lifecycle` for
 * the families of the lifecycle document, whose names, labels and buckets are not ours to change, and `holdfast` for our own.
 *
 * No label is an id, and none has values without end: past its bound a value reads `other` (label-values.ts).
 */
export interface Family {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly labels: readonly string[]
  /** Of a histogram: upper bounds, without the last, which is infinite. */
  readonly buckets?: readonly number[]
  readonly origin: 'lifecycle' | 'holdfast'
}

type Table<Name extends string> = { readonly [N in Name]: Omit<Family, 'name'> }

/** Keeps the names as types, so that a family that is not in the table cannot be fed. */
export function families<Name extends string>(table: Table<Name>): { readonly [N in Name]: Family } {
  const named = Object.entries<Omit<Family, 'name'>>(table).map(([name, rest]) => [name, { name, ...rest }])
  return Object.fromEntries(named)
}

export const CALL_SECONDS = [0.1, 0.3, 0.5, 1, 2, 5, 10]
export const lifecycle = 'lifecycle'
export const holdfast = 'holdfast'

export const EXTERNAL = {
  external_duration_seconds: {
    type: 'histogram',
    help: 'Duration of external service calls',
    labels: ['service', 'operation'],
    buckets: CALL_SECONDS,
    origin: lifecycle,
  },
  external_error_total: {
    type: 'counter',
    help: 'External service errors',
    labels: ['service', 'operation', 'error_code'],
    origin: lifecycle,
  },
} as const

/** Told by every process. */
export const EVERYWHERE = {
  holdfast_build_info: {
    type: 'gauge',
    help: 'Always 1; the labels say what runs',
    labels: ['version', 'node'],
    origin: holdfast,
  },
  holdfast_jobs_enqueued_total: {
    type: 'counter',
    help: 'Jobs this process has enqueued',
    labels: ['tenant', 'queue'],
    origin: holdfast,
  },
  holdfast_stale_writes_refused_total: {
    type: 'counter',
    help: 'Endings refused because the lease of their attempt was lost',
    labels: [],
    origin: holdfast,
  },
  holdfast_db_pool_connections: {
    type: 'gauge',
    help: 'Connections to the database by state (busy, idle) and calls that wait for one (waiting)',
    labels: ['state'],
    origin: holdfast,
  },
} as const
