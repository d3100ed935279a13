// The recipe exactly-once: killed between the effect and the end of the job, and run again.
import { expect, it } from 'vitest'
import { blockWith, printedBy, recipeDatabase, startRecipe } from './recipe.js'

const BALANCES = 'select owner, balance from accounts order by owner'
const MOVED = [
  { owner: 'ada', balance: 90 },
  { owner: 'bob', balance: 10 },
]

it('a process that is killed between the booking and the end of the job has booked nothing, and the next attempt books once', async () => {
  const database = await recipeDatabase()
  await database.rows('create table accounts (owner text primary key, balance int not null)')
  await database.rows(`insert into accounts values ('ada', 100), ('bob', 0)`)
  // The first of the two bookings goes through; the second waits for this session.
  const blocker = await blockWith(database, `select from accounts where owner = 'bob' for update`)
  const killed = startRecipe('exactly-once', database)
  await blocker.reached()
  killed.child.kill('SIGKILL')
  expect(await killed.ended).toBe(null)
  await blocker.release()
  const [job] = await database.rows<{ id: number; state: string }>(
    'select id, state::text from holdfast.jobs',
  )
  expect(job?.state, 'it holds the job until its lease runs out').toMatch(/^(assigned|running)$/)
  expect(await database.rows(BALANCES)).toEqual([
    { owner: 'ada', balance: 100 },
    { owner: 'bob', balance: 0 },
  ])

  expect(await printedBy('exactly-once', database)).toEqual(['attempt 2 made the transfer: ada 90, bob 10'])
  expect(await database.rows(BALANCES)).toEqual(MOVED)
  const attempts = await database.store.read.attempts(job?.id as number)
  expect(attempts.map(({ outcome }) => outcome)).toEqual(['lost', 'succeeded'])

  expect(await printedBy('exactly-once', database), 'the same request once more').toEqual([
    'attempt 2 made the transfer: ada 90, bob 10',
  ])
  expect(await database.rows(BALANCES)).toEqual(MOVED)
  expect(await database.rows('select id from holdfast.jobs')).toHaveLength(1)
})
