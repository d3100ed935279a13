// Bulk operations on the command line, on a database and through a server.
import type { Store } from 'holdfast/store'
import { expect, it } from 'vitest'
import { ChoreRunner } from '../../src/app/chores/chore-runner.js'
import { failedJobs, statesOf } from '../store/bulk/failed-jobs.js'
import { serve } from '../support/http.js'
import { pinnedStore, postgresUrl } from '../support/world.js'
import { holdfast } from './run-holdfast.js'

const flagsOf = (store: Store) => ['--url', postgresUrl(), '--schema', store.schema]

it('bulk previews, asks to be sure, changes every match, and shows what came of it', async () => {
  const store = await pinnedStore()
  const ids = await failedJobs(store, 3)
  await store.enqueue({ queue: 'mail', kind: 'send' })
  const run = (...args: string[]) => holdfast(['bulk', ...args, ...flagsOf(store)])
  expect((await run('list')).stdout).toBe('There are no bulk operations.\n')
  expect(await run('retry', '--search', 'kind:send')).toMatchObject({
    code: 2,
    stdout: '4 jobs match: 3 failed, 1 queued. retry applies to 3 of them.\n',
    stderr: expect.stringContaining('--yes'),
  })
  expect(await run('retry', '--search', 'kind:none', '--yes')).toMatchObject({
    code: 0,
    stdout: 'No job matches.\n',
  })
  const done = await run('retry', '--search', 'kind:send', '--yes', '--reason', 'fixed', '--actor', 'ada')
  expect(done).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Bulk operation 1 is done: 3 jobs changed, 1 refused.'),
  })
  expect(await statesOf(store, ids)).toEqual({ queued: 3 })
  expect((await run('list')).stdout).toMatch(/1 +retry +done +4 +3 +1 +ada .*kind:send/)
  expect((await run('show', '1')).stdout).toMatch(/reason +fixed[\s\S]*4 +queued +wrong_state/)
  expect(await run('abort', '1')).toMatchObject({ code: 1, stderr: expect.stringContaining('has ended') })
  const { operation } = JSON.parse(
    (await run('priority', '--to', '42', '--search', 'state:queued', '--yes', '--json')).stdout,
  )
  expect(operation).toMatchObject({ id: 2, state: 'done', done: 4, priority: 42 })
  expect(await run('retry', '--search', 'stat:failed', '--yes')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('state'),
  })
})

it('bulk through a server lets the server carry it out', async () => {
  const store = await pinnedStore()
  const ids = await failedJobs(store, 3)
  const { url } = await serve(store, { chores: new ChoreRunner(store) })
  const run = (...args: string[]) => holdfast(['bulk', ...args, '--server', url])
  expect(await run('retry', '--search', 'state:failed', '--yes')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Bulk operation 1 is done: 3 jobs changed.'),
  })
  expect(await statesOf(store, ids)).toEqual({ queued: 3 })
  expect((await run('show', '1')).stdout).toMatch(/done +3/)
})
