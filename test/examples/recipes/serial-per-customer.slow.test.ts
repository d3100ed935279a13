// The recipe serial-per-customer: which of its jobs ran at the same time.
import { expect, it } from 'vitest'
import { expectHealthy } from '../../support/world.js'
import { printedBy, recipeDatabase } from './recipe.js'

it('no two jobs of a customer overlap, and they run in order although one is retried', async () => {
  const database = await recipeDatabase()
  expect(await printedBy('serial-per-customer', database)).toEqual([
    'ada: 1, 2, 2, 3, 4',
    'bob: 1, 2, 2, 3, 4',
    'cleo: 1, 2, 2, 3, 4',
  ])
  const overlapping = (customers: '=' | '<>') =>
    database.rows(
      `select a.id, b.id from syncs a join syncs b on a.id < b.id and a.customer ${customers} b.customer
        and tstzrange(a.began_at, a.ended_at) && tstzrange(b.began_at, b.ended_at)`,
    )
  expect(await overlapping('=')).toEqual([])
  expect((await overlapping('<>')).length, 'customers do not wait for each other').toBeGreaterThan(0)
  await expectHealthy(database.store)
})
