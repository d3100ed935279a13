/**
 * Schemas of one PGlite that a test has left and the next one gets, emptied: to make one takes PGlite a third of a second, most of what a
 * small test takes. Only where one connection is all there is: on a server, somebody who died a moment ago may still write. A schema
 * whose structure is not as it was made is dropped instead.
 */
import { type Database, migrateUp } from 'holdfast/store'
import { pinClock } from 'holdfast/testing'
import { emptying, START, type Template } from './template.js'

/** Bounds the dead rows that deleting leaves behind. */
const REUSES = 60

const madeBeside = (schema: string) => `${schema}_made`

export class Emptied {
  readonly #database: Database
  readonly #free: { schema: string; template: Template }[] = []
  readonly #uses = new Map<string, number>()

  constructor(database: Database) {
    this.#database = database
  }

  /** One that was emptied, or a new one of this name. */
  async take(name: string, template: Template): Promise<string> {
    const at = this.#free.findIndex((each) => each.template === template)
    const schema = at === -1 ? await this.make(name, template) : this.#free.splice(at, 1)[0]?.schema
    this.#uses.set(schema as string, (this.#uses.get(schema as string) ?? 0) + 1)
    return schema as string
  }

  async giveBack(schema: string, template: Template): Promise<void> {
    if ((this.#uses.get(schema) ?? 0) < REUSES && (await this.#isAsMade(schema)))
      this.#free.push({ schema, template })
    else await this.drop(schema)
  }

  async drop(schema: string): Promise<void> {
    await this.#database.script(
      `set local client_min_messages = error; drop schema if exists ${schema}, ${madeBeside(schema)} cascade`,
    )
  }

  /** A new one, with no rows of earlier tests. */
  async make(schema: string, template: Template): Promise<string> {
    const database = this.#database
    await migrateUp(database, schema)
    if (template === 'pinned') await pinClock({ database, schema }, START)
    const inSchema = madeBeside(schema)
    await database.script(
      `create schema ${inSchema}; ${await emptying(database, schema, { inSchema, others: false })}`,
    )
    return schema
  }

  /** Empties it, too. */
  async #isAsMade(schema: string): Promise<boolean> {
    try {
      const [row] = await this.#database.query<{ as_made: boolean }>(
        `select ${madeBeside(schema)}.empty_world() as as_made`,
      )
      return row?.as_made === true
    } catch {
      return false
    }
  }
}
