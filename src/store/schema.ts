/**
 * Which schema the engine lives in. The SQL of this project is written for the schema `holdfast`, so that it can be pasted into
 * psql; for another name every `holdfast.` in front of an identifier is replaced, once per statement.
 */
import { holdfastError } from '../domain/errors.js'
import type { Database, Session } from './database.js'

export const DEFAULT_SCHEMA = 'holdfast'

export function checkSchemaName(name: string): string {
  if (/^[a-z][a-z0-9_]{0,39}$/.test(name) && !name.startsWith('pg_')) return name
  throw holdfastError('schema_name_invalid', { schema: name })
}

export function inSchema(text: string, schema: string): string {
  return schema === DEFAULT_SCHEMA ? text : text.replace(/\bholdfast\./g, `${schema}.`)
}

/** The same database, with every statement sent to another schema. */
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
  const wrap = (session: Session): Session => ({
    query: (text, values, options) => session.query(render(text), values, options),
    script: (text, options) => session.script(render(text), options),
  })
  return {
    ...database,
    ...wrap(database),
    transaction: (work, options) => database.transaction((session) => work(wrap(session)), options),
  }
}
