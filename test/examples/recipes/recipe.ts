/** A recipe as its reader runs it: a process on a database of its own, whose Holdfast has the usual schema. */
import { randomBytes } from 'node:crypto'
import { openPostgres, type Store, storeOn } from 'holdfast/store'
import pg from 'pg'
import { onTestFinished } from 'vitest'
import { type StartedExample, startExample } from '../../support/run-example.js'
import { Copies, inDatabase } from '../../support/template.js'
import { serverUrl } from '../../support/world.js'

export interface RecipeDatabase {
  readonly url: string
  readonly store: Store
  rows<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>
}

/** Kept when the test fails. */
export async function recipeDatabase(): Promise<RecipeDatabase> {
  const name = `recipe_${randomBytes(6).toString('hex')}`
  const copies = new Copies(serverUrl())
  await copies.make(name, 'usual')
  const url = inDatabase(serverUrl(), name)
  const database = openPostgres({ url, connections: 2 })
  onTestFinished(async ({ task }) => {
    await database.close()
    if (task.result?.state === 'fail') console.error(`what this failed test has left is kept in ${name}`)
    else await copies.drop(name)
    await copies.close()
  })
  const store = storeOn(database, 'holdfast')
  return { url, store, rows: (text, values) => database.query(text, values) }
}

export function startRecipe(
  name: string,
  { url }: Pick<RecipeDatabase, 'url'>,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): StartedExample {
  return startExample(`recipes/${name}`, args, { ...env, DATABASE_URL: url })
}

/** Runs it to its end, which must be a good one, and returns what it printed. */
export async function printedBy(
  name: string,
  database: Pick<RecipeDatabase, 'url'>,
  args: readonly string[] = [],
): Promise<readonly string[]> {
  const recipe = startRecipe(name, database, args)
  const code = await recipe.ended
  if (code !== 0) throw new Error(`${name} ended with ${code}:\n${recipe.lines.join('\n')}`)
  return recipe.lines
}

export interface Blocker {
  /** Resolves once a session waits for a lock of this one. */
  reached(): Promise<void>
  /** Undoes what it did, which lets the others go on. */
  release(): Promise<void>
}

/** Another session with an open transaction: a recipe that needs the same rows stops exactly there until it is released. */
export async function blockWith(database: RecipeDatabase, text: string): Promise<Blocker> {
  const client = new pg.Client({ connectionString: database.url })
  client.on('error', () => {})
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('begin')
  await client.query(text)
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return {
    async reached() {
      const waiting = 'select pid from pg_stat_activity where $1 = any (pg_blocking_pids(pid))'
      while ((await database.rows(waiting, [rows[0]?.pid])).length === 0);
    },
    release: async () => void (await client.query('rollback')),
  }
}
