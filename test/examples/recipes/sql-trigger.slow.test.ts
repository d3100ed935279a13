// The recipe sql-trigger, also after its process has ended: the trigger stays in the database.
import { expect, it } from 'vitest'
import { printedBy, recipeDatabase } from './recipe.js'

it('a row that any program inserts has a job when it commits, and none when it is rolled back', async () => {
  const database = await recipeDatabase()
  expect(await printedBy('sql-trigger', database)).toEqual([
    'rolled back: changed my mind',
    'welcomed ada@example.org',
    'welcomed bob@example.org',
  ])
  await database.rows(`insert into users (email) values ('cleo@example.org')`)
  const jobs = await database.rows<{ input: { email: string }; key: string; state: string }>(
    `select input, key, state::text from holdfast.jobs order by id`,
  )
  const ids = await database.rows<{ id: number }>('select id from users order by id')
  expect(jobs.map(({ input, state }) => [input.email, state])).toEqual([
    ['ada@example.org', 'succeeded'],
    ['bob@example.org', 'succeeded'],
    ['cleo@example.org', 'queued'],
  ])
  expect(jobs.map(({ key }) => key)).toEqual(ids.map(({ id }) => `welcome:${id}`))
})
