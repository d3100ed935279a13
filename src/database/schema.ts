/**
 * The schema that holds the engine's tables and functions. The SQL of this project names the schema `holdfast`, so that it can be pasted
 * into psql. In a schema with another name, `withSchema` replaces every `holdfast.` of our own statements, once for each statement. SQL of
 * users is never changed: they get a session made by `asWritten`.
 */
import { holdfastError } from '../domain/errors/errors.js'
import type { CallOptions, Database, Session } from './database.js'

export const DEFAULT_SCHEMA = 'holdfast'

export function checkSchemaName(name: string): string {
  if (/^[a-z][a-z0-9_]{0,39}$/.test(name) && !name.startsWith('pg_')) return name
  throw holdfastError('schema_name_invalid', { schema: name })
}

export function inSchema(text: string, schema: string): string {
  return schema === DEFAULT_SCHEMA ? text : text.replace(/\bholdfast\./g, `${schema}.`)
}

/** The same database, with our statements sent to another schema. The cache holds our own constants only. */
export function withSchema(database: Database, schema: string): Database {
  checkSchemaName(schema)
  if (schema === DEFAULT_SCHEMA) return database
  const rendered = new Map<string, string>()
  const render = (text: string) => {
    let known = rendered.get(text)
    if (known === undefined) {
      known = inSchema(text, schema)
      rendered.set(text, known)
    }
    return known
  }
  const renderFor = (text: string, options: CallOptions | undefined) =>
    options?.asWritten === true ? text : render(text)
  return wrapSessions(database, (session) => ({
    query: (text, values, options) => session.query(renderFor(text, options), values, options),
    script: (text, options) => session.script(renderFor(text, options), options),
  }))
}

/** The same session for SQL of users. */
export function asWritten(session: Session): Session {
  return {
    query: (text, values, options) => session.query(text, values, { ...options, asWritten: true }),
    script: (text, options) => session.script(text, { ...options, asWritten: true }),
  }
}

/** The same database for SQL of users. */
export function databaseForUsers(database: Database): Database {
  return wrapSessions(database, asWritten)
}

function wrapSessions(database: Database, wrap: (session: Session) => Session): Database {
  return {
    ...database,
    ...wrap(database),
    transaction: (work, options) => database.transaction((session) => work(wrap(session)), options),
  }
}
