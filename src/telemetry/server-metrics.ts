/** The metrics of a server: its answered calls, and the state of the database at the time of a scrape. */
import { errorCode, type Measure, measureInto } from '../domain/measure.js'
import { type DatabaseFacts, setFacts } from './database-facts.js'
import { OTHER } from './label-values.js'
import { Metrics } from './registry.js'
import { SERVER_FAMILIES } from './server-families.js'
import { statementOf } from './statement.js'

export type ServerMetricsName = keyof typeof SERVER_FAMILIES

/** The number of routes is fixed by the program; callers cannot add any. */
const ROUTES_MAX = 1_000
/** So is the number of verbs and views. */
const TABLES_MAX = 500

export class ServerMetrics {
  readonly #metrics = new Metrics<ServerMetricsName>(SERVER_FAMILIES, {
    http_request_duration_seconds: ROUTES_MAX,
    http_requests_total: ROUTES_MAX,
    db_query_duration_seconds: TABLES_MAX,
    db_query_error_total: TABLES_MAX,
  })

  /** Measures calls that the server makes to other services. */
  readonly measure: Pick<Measure, 'external'> = measureInto(({ labels, seconds, error }) => {
    this.#metrics.histogram('external_duration_seconds', ...labels).observe(seconds)
    if (error !== null) this.#metrics.counter('external_error_total', ...labels, error).add()
  })

  constructor({ version }: { readonly version: string }) {
    this.#metrics.setGauge('holdfast_build_info', [[{ version, node: process.version }, 1]])
  }

  get contentType(): string {
    return this.#metrics.contentType
  }

  /** Counts an answered call; the route is undefined if none matched. */
  answered(call: { method: string; route: string | undefined; status: number; seconds: number }): void {
    const labels = [
      METHODS.has(call.method) ? call.method : OTHER,
      call.route ?? OTHER,
      Number.isInteger(call.status) ? String(call.status) : OTHER,
    ]
    this.#metrics.histogram('http_request_duration_seconds', ...labels).observe(call.seconds)
    this.#metrics.counter('http_requests_total', ...labels).add()
  }

  /** Counts the body of a call. */
  uploaded(contentType: string | undefined, bytes: number): void {
    const [type = ''] = (contentType ?? '').split(';', 1)
    const mime = type.trim().toLowerCase()
    this.#metrics.histogram('upload_size_bytes', MIME.test(mime) ? mime : OTHER).observe(bytes)
  }

  queried(statement: string, seconds: number, error: unknown): void {
    const { operation, table } = statementOf(statement)
    this.#metrics.histogram('db_query_duration_seconds', operation, table).observe(seconds)
    if (error !== null)
      this.#metrics.counter('db_query_error_total', operation, table, errorCode(error)).add()
  }

  enqueued(tenant: string, queue: string, count: number): void {
    this.#metrics.counter('holdfast_jobs_enqueued_total', tenant, queue).add(count)
  }

  refused(count: number): void {
    this.#metrics.counter('holdfast_stale_writes_refused_total').add(count)
  }

  /** In the text format of Prometheus. */
  text(facts: DatabaseFacts): Promise<string> {
    setFacts(this.#metrics, facts)
    return this.#metrics.text()
  }
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
const MIME = /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/
