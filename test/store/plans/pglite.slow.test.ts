/** The same in the database inside this process, which is another Postgres than the server and has settings of its own. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Backlog, drop, emptyBacklog, fillAtOnce } from '../../support/backlog.js'
import { costOf } from '../../support/plans.js'
import { VERBS } from './verbs.js'

let backlog: Backlog
beforeAll(async () => {
  backlog = await emptyBacklog(25_000, 'pglite')
  await fillAtOnce(backlog)
})
afterAll(() => drop(backlog))

it.each(VERBS)('on PGlite, $name touches a bounded number of pages', async ({ most, on }) => {
  expect((await costOf(backlog.store, on(backlog))).buffers).toBeLessThanOrEqual(most)
})
