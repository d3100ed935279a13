/** What several tests of the dashboard do or need. */
import type { Store } from 'holdfast/store'
import type { Page } from 'playwright-core'
import { settled } from './dashboard.js'

/** Answers the question that a command asks. */
export async function confirm(page: Page, action: string, reason?: string): Promise<void> {
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  if (reason !== undefined) await dialog.getByLabel(/^Reason/).fill(reason)
  await dialog.getByRole('button', { name: action, exact: true }).click()
  await dialog.waitFor({ state: 'hidden' })
}

/** Signs in at a page that asks for a key, and waits for the page behind it. */
export async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key', { exact: true }).fill(key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  // The page behind has a heading, too: it is there, and settled, before the answer to the key is.
  await page.getByLabel('API key', { exact: true }).waitFor({ state: 'detached' })
  await settled(page)
}

/** A job that has failed for good, with an error and a log. */
export async function failedJob(store: Store): Promise<number> {
  const { jobId } = await store.enqueue({
    ...{ queue: 'billing', kind: 'charge-card', maxRetries: 0 },
    input: { user: { id: 'u_8812' }, order: 71_842 },
  })
  const job = await store.work.claimById(jobId, { worker: 'billing-1', leaseMs: 60_000 })
  if (job === undefined) throw new Error('the job cannot be claimed')
  const error = new Error('connect ECONNREFUSED 10.0.4.7:443')
  await store.work.finish([{ ...job, outcome: 'failed', error, log: 'charging order 71842\n' }])
  return jobId
}
