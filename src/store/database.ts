/**
 * The one small door to a database. Two drivers stand behind it: `pg` for a Postgres server and PGlite for the database inside
 * this process. Everything above speaks SQL text with values and gets rows; nothing above knows which driver it is.
 *
 * Every call has a deadline, because `pg` has none by default and a half-open connection would otherwise wait for ever.
 */
import type { Rank } from './gate.js'

export interface CallOptions {
  /** After this long the caller gets `deadline_exceeded` and the connection is thrown away. */
  readonly deadlineMs?: number
  /**
   * The same call may be sent again after the connection broke and nobody knows whether it took effect. Only true for verbs
   * that answer the same the second time (a fenced finish, an enqueue with a request key, a renewal, a read).
   */
  readonly repeatable?: boolean
  /** Always the same text, and one of the few that make up the traffic: worth preparing. */
  readonly often?: boolean
  /** Who goes first where connections are short. */
  readonly rank?: Rank
  /** Whose call it is: tenants take turns where connections are short. */
  readonly tenant?: string
  /** Where roles are installed, the database shows it nothing but what belongs to its tenant. */
  readonly isNarrowed?: boolean
  /** Not sent, but refused as `unavailable`, once a connection has broken since `breaks()` said this. */
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
   * A connection that does nothing but listen to a channel, until it is ended or breaks; then `ended` is called, once. Missing where
   * no connection can be spared for it, and undefined where a pooler shares it with others, so that nothing would be heard.
   */
  listen?(channel: string, ear: Ear): Promise<Listening | undefined>
  /**
   * How often a connection has broken, or none could be had, in a way that may mean another server answers next. Missing where none can.
   */
  breaks?(): number
  /** How many connections there are, and how many calls wait for one. Missing where there is only one. */
  connections?(): Connections
  close(): Promise<void>
}

export interface Connections {
  readonly busy: number
  readonly idle: number
  readonly waiting: number
}

export interface Ear {
  heard(payload: string): void
  ended(): void
}

export interface Listening {
  end(): Promise<void>
}

/** Deadlines by kind of call, in milliseconds. */
export const DEADLINES = {
  call: 10_000,
  claim: 5_000,
  migration: 60_000,
} as const
