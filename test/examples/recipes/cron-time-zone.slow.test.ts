// The recipe cron-time-zone, around the nights when the clocks of Berlin change. The clock of its database stands still.
import { pinClock } from 'holdfast/testing'
import { expect, it, vi } from 'vitest'
import { recipeDatabase, startRecipe } from './recipe.js'

it.each([
  [
    'in March 02:30 does not exist, and it fires at 03:00, the first instant after the gap',
    {
      before: '2030-03-30T12:00:00Z',
      slot: '2030-03-31T01:00:00.000Z',
      printed: [
        '2030-03-31T01:00:00.000Z is 2030-03-31 03:00:00 in Berlin',
        '2030-04-01T00:30:00.000Z is 2030-04-01 02:30:00 in Berlin',
        '2030-04-02T00:30:00.000Z is 2030-04-02 02:30:00 in Berlin',
      ],
    },
  ],
  [
    'in October 02:30 happens twice, and it fires once, the first time',
    {
      before: '2030-10-26T12:00:00Z',
      slot: '2030-10-27T00:30:00.000Z',
      printed: [
        '2030-10-27T00:30:00.000Z is 2030-10-27 02:30:00 in Berlin',
        '2030-10-28T01:30:00.000Z is 2030-10-28 02:30:00 in Berlin',
        '2030-10-29T01:30:00.000Z is 2030-10-29 02:30:00 in Berlin',
      ],
    },
  ],
])('%s', async (_night, { before, slot, printed }) => {
  const database = await recipeDatabase()
  const clock = await pinClock(database.store, new Date(before))
  const declaring = startRecipe('cron-time-zone', database)
  await declaring.shows(/reports sales/)
  expect(await declaring.interrupt()).toBe(0)
  expect(declaring.lines.slice(0, 3)).toEqual(printed)

  // An hour after the slot, so that the second 02:30 of October has passed too.
  await clock.set(new Date(Date.parse(slot) + 3_600_000))
  const firing = [startRecipe('cron-time-zone', database), startRecipe('cron-time-zone', database)]
  // Each runs it once by hand, and one of them fires the slot.
  const reports = () => firing.flatMap(({ lines }) => lines.filter((line) => line.includes('reports sales')))
  await vi.waitFor(() => expect(reports()).toHaveLength(3), { timeout: 100_000 })
  for (const recipe of firing) expect(await recipe.interrupt()).toBe(0)
  const history = await database.store.schedules.history('nightly-sales')
  expect(history.filter(({ outcome }) => outcome !== 'manual')).toMatchObject([
    { outcome: 'created', slot: new Date(slot) },
  ])
})
