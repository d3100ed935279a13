/**
 * Adapts the transaction of any supported library to what the store needs: a function that runs a statement with values. Recognised by
 * shape, so none of the libraries is a dependency. What is a database but not a transaction is refused: the job would exist
 * although you rolled back, without any error.
 */

import { asHoldfastError } from '../database/database-errors.js'
import { invalidInput } from '../domain/errors/errors.js'
import type { CallerTransaction } from '../store/enqueue/producer.js'

type Rows = readonly unknown[] | { readonly rows: readonly unknown[] }

/** A transaction of one of the libraries, or a function that runs text with values in yours and answers the rows. */
export type Transaction =
  | ((text: string, values: unknown[]) => Promise<Rows>)
  | PgLike
  | PostgresJsLike
  | DrizzleLike
  | KyselyLike
  | KnexLike
  | PrismaLike

/** `pg`, PGlite, TypeORM, and what `ctx.commit` gives you. */
interface PgLike {
  query(text: string, values: unknown[]): Promise<Rows>
}
/** The `sql` that postgres.js hands to `sql.begin`. */
interface PostgresJsLike {
  // biome-ignore lint/suspicious/noExplicitAny: its own parameter types are narrower than what it takes
  unsafe(text: string, values?: any[]): PromiseLike<readonly unknown[]>
  savepoint: unknown
}
/** The `tx` that drizzle hands to `db.transaction`. */
interface DrizzleLike {
  // biome-ignore lint/suspicious/noExplicitAny: a query is an object of drizzle's, which we imitate
  execute(query: any): PromiseLike<unknown>
  rollback(): never
}
/** The `trx` that kysely hands to `db.transaction().execute`. */
interface KyselyLike {
  // biome-ignore lint/suspicious/noExplicitAny: a query is an object of kysely's, which we imitate
  executeQuery(query: any): Promise<{ readonly rows: unknown[] }>
  readonly isTransaction: boolean
}
/** The `trx` that knex hands to `knex.transaction`. */
interface KnexLike {
  // biome-ignore lint/suspicious/noExplicitAny: its own parameter types are narrower than what it takes
  raw(text: string, values: any): PromiseLike<any>
  isTransaction?: boolean
}
/** The client that Prisma hands to `prisma.$transaction`. */
interface PrismaLike {
  $queryRawUnsafe<T = unknown>(text: string, ...values: unknown[]): PromiseLike<T>
}

export function asTransaction(tx: Transaction): CallerTransaction {
  const run = runner(tx)
  return {
    async query(text, values) {
      try {
        const answer = await run(text, values)
        return { rows: Array.isArray(answer) ? answer : [...(answer as { rows: readonly unknown[] }).rows] }
      } catch (error) {
        throw refusalIn(error)
      }
    },
  }
}

type RunQuery = (text: string, values: unknown[]) => PromiseLike<unknown>

function runner(tx: Transaction): RunQuery {
  // knex and postgres.js hand out functions, so what they can do is looked at first.
  if (has(tx, 'raw') && has(tx, 'transacting')) return throughKnex(tx as KnexLike)
  if (has(tx, 'unsafe')) return throughPostgresJs(tx as PostgresJsLike)
  if (has(tx, 'executeQuery')) return throughKysely(tx as KyselyLike)
  if (has(tx, '$queryRawUnsafe')) return throughPrisma(tx as PrismaLike)
  if (has(tx, 'execute')) return throughDrizzle(tx as DrizzleLike)
  if (has(tx, 'query')) return throughPg(tx as PgLike)
  if (typeof tx === 'function') return tx as RunQuery
  throw invalidInput(
    '/tx',
    'must be a transaction of pg, postgres.js, drizzle, kysely, knex or prisma, or a function (text, values) => rows',
  )
}

function throughPg(tx: PgLike): RunQuery {
  // A pool runs each statement on whatever connection is free.
  if ('totalCount' in tx && 'idleCount' in tx)
    throw notATransaction('a pool; pass the client on which you ran BEGIN')
  return (text, values) => tx.query(text, values)
}

function throughPostgresJs(tx: PostgresJsLike): RunQuery {
  if (!has(tx, 'savepoint'))
    throw notATransaction('the sql of all connections; pass the one sql.begin gives you')
  return (text, values) => tx.unsafe(text, values)
}

function throughKysely(tx: KyselyLike): RunQuery {
  if (!tx.isTransaction)
    throw notATransaction('the database; pass the trx that transaction().execute gives you')
  return (sql, values) =>
    tx.executeQuery({
      sql,
      parameters: values,
      query: { kind: 'RawNode', sqlFragments: [sql], parameters: [] },
      queryId: { queryId: 'holdfast' },
    })
}

function throughKnex(tx: KnexLike): RunQuery {
  if (tx.isTransaction !== true)
    throw notATransaction('the database; pass the trx that knex.transaction gives you')
  return async (text, values) => {
    // Knex numbers its values by their order.
    const inOrder: unknown[] = []
    const marked = text.replace(/\?/g, '\\?').replace(/\$(\d+)/g, (_mark, n: string) => {
      inOrder.push(values[Number(n) - 1])
      return '?'
    })
    try {
      return (await tx.raw(marked, inOrder)) as Rows
    } catch (error) {
      throw withoutStatement(error, text)
    }
  }
}

/** Knex puts the whole statement in front of the message. */
function withoutStatement(error: unknown, text: string): unknown {
  const { code, detail, message = '' } = error as { code?: string; detail?: string; message?: string }
  if (code !== REFUSED) return error
  const end = `${text.trimEnd().slice(-10)} - `
  const at = message.indexOf(end)
  return { code, detail, message: at < 0 ? message : message.slice(at + end.length) }
}

function throughDrizzle(tx: DrizzleLike): RunQuery {
  if (!has(tx, 'rollback')) throw notATransaction('the database; pass the tx that db.transaction gives you')
  return (sql, params) => tx.execute({ getSQL: () => ({ toQuery: () => ({ sql, params }) }) })
}

function throughPrisma(tx: PrismaLike): RunQuery {
  if (has(tx, '$transaction') || has(tx, '$connect'))
    throw notATransaction('the client; pass the one $transaction gives you')
  return (text, values) => tx.$queryRawUnsafe(text, ...values)
}

const has = (tx: unknown, method: string) =>
  tx !== null && tx !== undefined && typeof (tx as Record<string, unknown>)[method] === 'function'

function notATransaction(problem: string) {
  return invalidInput('/tx', `this is not a transaction but ${problem}`)
}

/** The SQLSTATE of a refusal by one of the verbs. */
const REFUSED = 'HF000'

/** A refusal of ours, also when the library wrapped it; anything else as it came. */
function refusalIn(error: unknown): unknown {
  let inner: unknown = error
  for (let depth = 0; depth < 5 && typeof inner === 'object' && inner !== null; depth++) {
    const { code } = inner as { code?: unknown }
    if (code === REFUSED) return asHoldfastError(inner)
    inner = (inner as { cause?: unknown }).cause
  }
  return error
}
