/** One command for everything that a search finds, while workers run and jobs arrive. */
import { defineJob } from 'holdfast'
import { expect, it, onTestFinished } from 'vitest'
import { failedJobs, statesOf } from '../store/bulk/failed-jobs.js'
import { freshApp } from '../support/app.js'
import { type Dashboard, dashboardOn, freshDashboard } from '../support/browser/dashboard.js'
import { serve } from '../support/http.js'
import { expectHealthy } from '../support/world.js'

const MANY = 10_000

it('10,000 failed jobs are retried by a filter while workers run: preview, progress, result', async () => {
  const send = defineJob({ kind: 'send', queue: 'mail', maxRetries: 0, handler: () => {} })
  const beat = defineJob({ kind: 'beat', queue: 'beats', handler: () => {} })
  const app = await freshApp({ jobs: [send, beat] })
  const { store } = app
  const failed = await failedJobs(store, MANY)
  // The system is live: jobs of another kind come and go all the time.
  let isOver = false
  const beating = (async () => {
    while (!isOver) await app.enqueue(beat, {}).then((handle) => handle.result())
  })()
  beating.catch(() => {})
  onTestFinished(() => {
    isOver = true
  })
  await app.work({ concurrency: 20 })
  const { page, go } = await dashboardOn(await serve(store))
  await go('?page=jobs&q=state:failed kind:send')
  await page.getByRole('checkbox', { name: 'Select all rows' }).click()
  const bar = page.getByRole('toolbar', { name: 'Selected jobs' })
  await bar.getByRole('button', { name: 'Select all matching' }).click()
  await bar.getByRole('button', { name: /^Retry all/ }).click()

  const dialog = page.getByRole('dialog')
  // A preview counts for a second and a half; where that was too short it shows "6,000+".
  await dialog.getByText(/^[\d,]+\+? jobs match/).waitFor()
  // What fails after the preview is not what the operator has seen.
  const { jobId: late } = await store.enqueue({ queue: 'elsewhere', kind: 'send', maxRetries: 0 })
  const claimed = await store.work.claimById(late, { worker: 'w', leaseMs: 60_000 })
  if (claimed === undefined) throw new Error('the job cannot be claimed')
  await store.work.finish([{ ...claimed, outcome: 'failed', error: new Error('late') }])
  await dialog.getByLabel(/^Reason/).fill('the mail server is back')
  await dialog.getByRole('button', { name: /^Retry [\d,]+\+?$/ }).click()
  await dialog.waitFor({ state: 'hidden' })

  const operation = page.getByRole('region', { name: 'Bulk operations' })
  await operation.getByText('state:failed kind:send').waitFor()
  await operation.getByRole('button', { name: 'Refresh list' }).waitFor({ timeout: 120_000 })
  await operation.getByText(/^10,000( of [\d,]+\+?)? retried/).waitFor()
  const [ended] = await store.bulk.list()
  expect(ended).toMatchObject({
    ...{ command: 'retry', state: 'done', done: MANY, failed: 0 },
    reason: 'the mail server is back',
  })
  expect((await store.read.job(late)).state).toBe('failed')
  await expect.poll(() => statesOf(store, failed), { timeout: 120_000 }).toEqual({ succeeded: MANY })
  await operation.getByRole('button', { name: 'Close operation' }).click()
  await operation.waitFor({ state: 'detached' })
  isOver = true
  await beating
  await expectHealthy(store)
})

it('a running operation shows how far it is, and is aborted', async () => {
  // No process carries it out by itself: this server runs no upkeep.
  const { page, go, store }: Dashboard = await freshDashboard()
  await failedJobs(store, 1_000)
  await go('?page=jobs&q=state:failed')
  const { operation } = await store.bulk.start({ command: 'retry', q: 'state:failed', actor: 'ada' })
  const taken = await store.bulk.take('test', operation.id)
  if (taken === undefined) throw new Error('the operation cannot be taken')
  const { ids } = await store.bulk.find(taken, null)
  await store.bulk.apply(taken, 'test', ids.slice(0, 400), 'more')
  const shown = page.getByRole('region', { name: 'Bulk operations' })
  await shown.getByText('400 of 1,000 retried').waitFor()
  await shown.getByRole('button', { name: 'Abort' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Abort operation' }).click()
  await expect.poll(async () => (await store.bulk.get(operation.id)).state).toBe('aborted')
})
