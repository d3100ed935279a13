/** The bounds of a request, by name; a refusal names the one it met. Those of what is stored are in domain/limits.ts. */
export const HTTP_LIMITS = {
  /** Of a body, unless its route says otherwise: a job with an input of 1 MiB fits. */
  bodyBytesMax: 1024 * 1024 + 64 * 1024,
  /** Arrays and objects inside each other, in a body: more than what is stored may have, because what comes with an ending is cut and not refused. */
  bodyDepthMax: 256,
  /** Values of a body, every array, object and field: 500,000 take some 30 MB of memory. */
  bodyValuesMax: 500_000,
  /** Digits, sign, point and exponent of one number: 10^308 written out fits. */
  numberCharsMax: 400,
  /** From this size on bodies are counted: so many are read or worked on at once, those of a tenant and all; the next wait, unread. */
  largeBodyBytes: 256 * 1024,
  largeBodiesPerTenantMax: 4,
  largeBodiesMax: 8,
  /** Of the address and of all names and values of headers together. */
  headerBytesMax: 16 * 1024,
  /** Until the headers are here. */
  headersMs: 10_000,
  /** Until the whole request is here. */
  requestMs: 30_000,
  /** How often the two are looked at. */
  checkMs: 1_000,
  /** A connection that nobody uses is closed after this. */
  keepAliveMs: 65_000,
  /** A connection on which nothing moves is closed after this, also one that does not take its answer; longer than any wait for an answer. */
  stillMs: 90_000,
  /** After so long without an event a stream has a comment: it keeps proxies from closing a quiet connection, and the id moves on with it. */
  heartbeatMs: 15_000,
  /** Calls of one tenant that wait for jobs, ends or events, streams among them. */
  waitsPerTenantMax: 2_000,
  /** Open at once; more are refused by the system. */
  connectionsMax: 10_000,
  /** How long a key that was found good is trusted without asking again; also how long another server's revocation takes at most. */
  keyTrustMs: 1_000,
  /** Refused calls of unknown callers that have a row each in the audit log; more in the same minute share one. */
  strangerRowsPerMinute: 60,
  /** Keys remembered at once. */
  keysRememberedMax: 10_000,
} as const

export type HttpLimits = { readonly [Name in keyof typeof HTTP_LIMITS]: number }
