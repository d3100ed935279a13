/** Limits of requests and connections, by name; an error names the limit it exceeded. domain/limits.ts has those of stored data. */
export const HTTP_LIMITS = {
  /** Size of a body, unless its route sets another limit: a job with an input of 1 MiB fits. */
  bodyBytesMax: 1024 * 1024 + 64 * 1024,
  /** Nesting depth of a body: more than stored data may have, because details of an ended attempt are cut and not refused. */
  bodyDepthMax: 256,
  /** Values in a body, counting each array, object and field: 500,000 take some 30 MB of memory. */
  bodyValuesMax: 500_000,
  /** Characters of one number: 10^308 written out fits. */
  numberCharsMax: 400,
  /** From this size on a body takes one of the slots below, per tenant and in total, until its response is sent. Without a free slot it waits unread. */
  largeBodyBytes: 256 * 1024,
  largeBodiesPerTenantMax: 4,
  largeBodiesMax: 8,
  /** Request line and all headers together. */
  headerBytesMax: 16 * 1024,
  /** Until all headers have arrived. */
  headersMs: 10_000,
  /** Until the whole request has arrived. */
  requestMs: 30_000,
  /** How often these two are checked. */
  checkMs: 1_000,
  /** An idle connection is closed after this. */
  keepAliveMs: 65_000,
  /** A connection without traffic is closed after this, also one that does not read its response. Longer than any long poll. */
  socketIdleMs: 90_000,
  /** After a 413 the rest of the body is dropped for this long, so that a caller that is still sending can read the response. */
  lingerMs: 2_000,
  /** After this long without an event a stream sends a comment with the current id, so that proxies do not close the connection. */
  heartbeatMs: 15_000,
  /** Long polls and event streams of one tenant. */
  waitsPerTenantMax: 2_000,
  /** Open connections; the operating system refuses more. */
  connectionsMax: 10_000,
  /** How long a valid key is cached. A revocation through another server takes effect after at most this long. */
  keyCacheMs: 1_000,
  /** Unauthenticated calls per minute that get an audit row each; the others share one. */
  unauthenticatedRowsPerMinute: 60,
  /** A session of a browser ends this long after its last use. An open page uses it. */
  sessionIdleMs: 12 * 3_600_000,
  /** A session ends this long after it began, whatever its use. */
  sessionLifetimeMs: 7 * 24 * 3_600_000,
  /** Sessions of one key; one more closes the one unused for longest. */
  sessionsPerKeyMax: 100,
  /** Cached keys and sessions. */
  keysCachedMax: 10_000,
} as const

export type HttpLimits = { readonly [Name in keyof typeof HTTP_LIMITS]: number }
