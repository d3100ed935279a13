// The recipe rate-limited-api: what its queue starts when, and what becomes of a call that the API refuses.
import { expect, it } from 'vitest'
import { printedBy, recipeDatabase } from './recipe.js'

it('jobs over the rate wait, so that starts are 200 ms apart; a refused call is snoozed as long as the API asks, and no failure', async () => {
  const database = await recipeDatabase()
  expect(await printedBy('rate-limited-api', database)).toEqual([
    expect.stringMatching(/^10 cities in \d+\.\d s, with 11 calls$/),
  ])
  const starts = await database.rows<{ apart: number }>(
    `select extract(epoch from claimed_at - lag(claimed_at) over (order by claimed_at)) * 1000 as apart
     from holdfast.attempts order by claimed_at offset 1`,
  )
  expect(starts).toHaveLength(10)
  expect(starts.filter(({ apart }) => Number(apart) < 200)).toEqual([])

  const [snoozed, ...others] = await database.rows<{ job_id: number; reason: string }>(
    `select job_id, reason from holdfast.attempts where outcome <> 'succeeded'`,
  )
  expect([snoozed?.reason, others]).toEqual(['over the quota', []])
  const [first, second] = await database.store.read.attempts(snoozed?.job_id as number)
  expect([first?.outcome, second?.outcome, second?.failures]).toEqual(['snoozed', 'succeeded', 0])
  expect(Number(second?.claimedAt) - Number(first?.finishedAt)).toBeGreaterThanOrEqual(1_000)
})
