// Recipes that enqueue in a transaction of the reader's own library.
import { expect, it } from 'vitest'
import { printedBy, recipeDatabase } from './recipe.js'

it.each(['transaction-pg', 'transaction-drizzle', 'transaction-kysely'])(
  '%s: the order that commits has its job, the one that is rolled back after its enqueue has none',
  async (recipe) => {
    const database = await recipeDatabase()
    expect(await printedBy(recipe, database)).toEqual([
      'receipt of order 1 sent',
      expect.stringMatching(/^no order, no job: .*violates check constraint "stock_pieces_check"$/),
    ])
    expect(await database.rows('select id, item from orders')).toEqual([{ id: 1, item: 'kettle' }])
    expect(await database.rows('select kind, input, state::text from holdfast.jobs')).toEqual([
      { kind: 'receipt', input: { order: 1 }, state: 'succeeded' },
    ])
  },
)
