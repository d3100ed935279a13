/** `holdfast enqueue` as a process of its own: its job starts at once, and it ends when it has said so. */
import { defineJob, holdfast } from 'holdfast'
import { expect, it, onTestFinished } from 'vitest'
import { freshStore, postgresUrl } from '../support/world.js'
import { finished, startHoldfast } from './run-holdfast.js'

it('6.09 holdfast enqueue wakes a worker, and ends once it has printed the job', async () => {
  const store = await freshStore()
  let ran = () => {}
  const started = new Promise<void>((resolve) => {
    ran = resolve
  })
  const app = await holdfast({
    store,
    url: postgresUrl(),
    jobs: [defineJob({ kind: 'k', queue: 'q', handler: () => ran() })],
  })
  onTestFinished(() => app.stop())
  await app.queues.create('q')
  const working = await app.work({ pollMs: 600_000 })
  await working.idle()
  const where = ['--url', postgresUrl(), '--schema', store.schema]
  const child = startHoldfast(['enqueue', 'q', 'k', '{}', '--json', ...where])
  let printedAt = 0
  child.stdout?.on('data', () => {
    printedAt ||= performance.now()
  })
  expect(await finished(child)).toMatchObject({ code: 0, stderr: '' })
  // A pool that is not closed would end it after five seconds.
  expect(performance.now() - printedAt).toBeLessThan(4_000)
  await started
})
