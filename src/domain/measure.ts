/**
 * `ctx.measure`: times the calls that a handler makes to other services, for metrics. Each method takes a
 * promise, or a function that returns one, passes its result or error through unchanged, and records duration
 * and outcome. Without metrics it costs one clock reading.
 */
export type MeasuredCall<T> = PromiseLike<T> | (() => PromiseLike<T> | T)

export interface Measure {
  /** A call of another service: external_duration_seconds, external_error_total. */
  external<T>(service: string, operation: string, work: MeasuredCall<T>): Promise<T>
  /** A call of object storage: s3_operation_duration_seconds, s3_operation_errors_total. */
  s3<T>(operation: string, bucket: string, work: MeasuredCall<T>): Promise<T>
  /** A call of CloudFront: cloudfront_operation_duration_seconds, cloudfront_operation_errors_total. */
  cloudfront<T>(operation: string, work: MeasuredCall<T>): Promise<T>
  /** A query of your own: db_query_duration_seconds, db_query_errors_total. */
  db<T>(queryType: string, work: MeasuredCall<T>): Promise<T>
  /** Work on an image: image_processing_errors_total. */
  image<T>(work: MeasuredCall<T>): Promise<T>
}

export interface Measurement {
  readonly of: keyof Measure
  /** As the method takes them. */
  readonly labels: readonly string[]
  readonly seconds: number
  /** The code or name of the error; null without one. */
  readonly error: string | null
}

export type MeasurementSink = (measured: Measurement) => void

export function measureInto(sink: MeasurementSink): Measure {
  const timed = async <T>(
    of: keyof Measure,
    labels: readonly string[],
    work: MeasuredCall<T>,
  ): Promise<T> => {
    const began = performance.now()
    const report = (error: string | null) =>
      sink({ of, labels: labels.map(String), seconds: (performance.now() - began) / 1000, error })
    try {
      const value = await (typeof work === 'function' ? work() : work)
      report(null)
      return value
    } catch (error) {
      report(errorCode(error))
      throw error
    }
  }
  return {
    external: (service, operation, work) => timed('external', [service, operation], work),
    s3: (operation, bucket, work) => timed('s3', [operation, bucket], work),
    cloudfront: (operation, work) => timed('cloudfront', [operation], work),
    db: (queryType, work) => timed('db', [queryType], work),
    image: (work) => timed('image', [], work),
  }
}

/**
 * A label for the error: the code, as node, Postgres and most libraries give one; else the name, which is what the AWS SDK says
 * it with. Never the message, which has no end of values.
 */
export function errorCode(error: unknown): string {
  const { code, name } = (typeof error === 'object' && error !== null ? error : {}) as {
    code?: unknown
    name?: unknown
  }
  const label = [code, name].find(
    (part) => (typeof part === 'string' && part !== '') || typeof part === 'number',
  )
  return label === undefined
    ? 'unknown'
    : String(label)
        .replace(/[^A-Za-z0-9_.:-]/g, '_')
        .slice(0, 100)
}
