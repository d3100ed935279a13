// The recipe cpu-threads: its handler runs in threads of the process.
import { expect, it } from 'vitest'
import { printedBy, recipeDatabase } from './recipe.js'

it('the handler runs in threads, and the program goes on meanwhile', async () => {
  const database = await recipeDatabase()
  const printed = await printedBy('cpu-threads', database)
  const results = await database.rows<{
    input: { below: number }
    result: { count: number; thread: number }
  }>(
    'select j.input, a.result from holdfast.jobs j join holdfast.attempts a on a.job_id = j.id order by j.id',
  )
  expect(results.map(({ input, result }) => [input.below, result.count])).toEqual([
    [10, 4],
    [1_000, 168],
    [1_000_000, 78_498],
    [20_000_000, 1_270_607],
  ])
  // The main thread has the number 0.
  expect(results.filter(({ result }) => result.thread === 0)).toEqual([])
  expect(Number(/did other things (\d+) times$/.exec(printed.at(-1) ?? '')?.[1])).toBeGreaterThan(0)
})
