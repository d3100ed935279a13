// Recipes without a DATABASE_URL: the runner starts a Postgres for them and stops it when they end.
import { join } from 'node:path'
import { findEmbedded } from 'holdfast/embedded'
import { expect, it } from 'vitest'
import { isRunning } from '../../store/embedded/world.js'
import { type StartedExample, startExample } from '../../support/run-example.js'

const POLL = { timeout: 100_000 }
const databaseOf = ({ out }: StartedExample) => findEmbedded({ dir: join(out, 'pg') })

/** The process id of its Postgres, once that runs. */
async function postgresOf(recipe: StartedExample): Promise<number> {
  await expect.poll(() => databaseOf(recipe), POLL).toBeDefined()
  return (await databaseOf(recipe))?.pid ?? expect.fail('its Postgres has ended')
}

it.each([
  ['transaction-pg', /^no order, no job: /],
  ['exactly-once', /^attempt 1 made the transfer: ada 90, bob 10$/],
  ['serial-per-customer', /^cleo: 1, 2, 2, 3, 4$/],
])('%s runs on an embedded database, which stops with it', async (name, last) => {
  const recipe = startExample(`recipes/${name}`, [])
  const postgres = await postgresOf(recipe)
  expect(await recipe.ended).toBe(0)
  expect(recipe.lines.at(-1)).toMatch(last)
  await expect.poll(() => isRunning(postgres), POLL).toBe(false)
})

it.each([
  ['cron-time-zone', 0],
  ['rate-limited-api', 130],
])('Ctrl-C ends %s with its database; exit code %i', async (name, code) => {
  const recipe = startExample(`recipes/${name}`, [])
  const postgres = await postgresOf(recipe)
  // The one ends only when it is asked to; the other still has several seconds of calls to make.
  if (code === 0) await recipe.shows(/reports sales/)
  expect(await recipe.interrupt()).toBe(code)
  await expect.poll(() => isRunning(postgres), POLL).toBe(false)
})
