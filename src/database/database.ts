/**
 * The interface to a database, with two drivers behind it: `pg` for a Postgres server and PGlite for a database inside this process.
 * Everything above sends SQL text with values and gets rows; it does not know which driver it uses.
 *
 * Every call has a deadline, because `pg` has none by default and a half-open connection would otherwise wait for ever.
 */
import type { CallRank } from './connection-gate.js'

export interface CallOptions {
  /** After this time the caller gets `deadline_exceeded`, and the connection is discarded. */
  readonly deadlineMs?: number
  /**
   * The call may be sent again after the connection broke, when its effect is unknown. Only true for verbs that return the same answer the
   * second time (a fenced finish, an enqueue with a request key, a renewal, a read).
   */
  readonly repeatable?: boolean
  /** A constant text that makes up much of the traffic: worth preparing. */
  readonly often?: boolean
  /** Which calls go first when connections are short. */
  readonly rank?: CallRank
  /** The tenant of the call: tenants take turns when connections are short. */
  readonly tenant?: string
  /** Where roles are installed, the database hides the rows of other tenants from this call. */
  readonly isNarrowed?: boolean
  /** SQL of a user: no schema name in it is replaced. */
  readonly asWritten?: boolean
  /** Refused as `unavailable`, and not sent, when a connection has broken since `breaks()` returned this number. */
  readonly breaks?: number | undefined
}

export interface Session {
  query<Row>(text: string, values?: readonly unknown[], options?: CallOptions): Promise<Row[]>
  /** Runs many statements without values, as migrations do. */
  script(text: string, options?: CallOptions): Promise<void>
}

export interface Database extends Session {
  readonly driver: 'postgres' | 'pglite'
  /** One transaction on one connection; rolled back when `work` throws. Never repeated: `work` may have effects elsewhere. */
  transaction<T>(work: (session: Session) => Promise<T>, options?: CallOptions): Promise<T>
  /**
   * Opens a connection that only listens to a channel, until it is ended or breaks; then `ended` is called, once. Missing for a driver that
   * has no connection to spare, and undefined behind a pooler that shares connections, where no notification would arrive.
   */
  listen?(channel: string, ear: NotificationHandler): Promise<NotificationSubscription | undefined>
  /**
   * How many connections have broken, or could not be opened, in a way that may mean that another server answers next. Missing for a driver
   * without connections.
   */
  breaks?(): number
  /** The number of connections, and of calls that wait for one. Missing for a driver with one connection. */
  connections?(): PoolGauge
  close(): Promise<void>
}

export interface PoolGauge {
  readonly busy: number
  readonly idle: number
  readonly waiting: number
}

export interface NotificationHandler {
  received(payload: string): void
  ended(): void
}

export interface NotificationSubscription {
  end(): Promise<void>
}

/** Deadlines by kind of call, in milliseconds. */
export const DEADLINES = {
  call: 10_000,
  claim: 5_000,
  migration: 60_000,
} as const
