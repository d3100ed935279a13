/** What an operator does at three in the morning, on a real server, with real workers where something must run. */
import { defineJob } from 'holdfast'
import { describe, expect, it } from 'vitest'
import { freshApp } from '../support/app.js'
import { confirm, failedJob } from '../support/browser/acts.js'
import { type Dashboard, dashboardOn, freshDashboard } from '../support/browser/dashboard.js'
import { serve } from '../support/http.js'
import { expectHealthy } from '../support/world.js'

describe('an operator', () => {
  it('finds a failed job by its payload, reads its story and retries it', async () => {
    const { page, go, store }: Dashboard = await freshDashboard()
    const jobId = await failedJob(store)
    await store.enqueue({ queue: 'billing', kind: 'charge-card', input: { user: { id: 'u_1' }, order: 1 } })
    await go()
    await page.keyboard.press('/')
    await page.keyboard.type('input.user.id:u_8812')
    await page.keyboard.press('Enter')
    await page
      .getByRole('link', { name: `charge-card #${jobId}` })
      .first()
      .click()
    await page.getByText('Why did it fail?').waitFor()
    await page.getByText('connect ECONNREFUSED 10.0.4.7:443').first().waitFor()
    await page.getByText('attempt 1').first().waitFor()
    await page.getByText('charging order 71842').first().waitFor()
    await page.getByRole('button', { name: 'Retry', exact: true }).first().click()
    await confirm(page, 'Retry job', 'the card network is back')
    await expect.poll(async () => (await store.read.job(jobId)).state).toBe('queued')
    await page.locator('h1').getByText('queued').waitFor()
    await expectHealthy(store)
  })

  it('resumes a blocked target and sees the next job run', async () => {
    let isFixed = false
    const reply = defineJob({
      ...{ kind: 'reply', queue: 'conversations' },
      target: 'customer:{customer}',
      handler: (_ctx, { message }: { customer: number; message: number }) => {
        if (!isFixed) throw new Error('token limit exceeded')
        return { message }
      },
    })
    const app = await freshApp({ jobs: [reply], queues: { conversations: { preset: 'target' } } })
    await app.work()
    const first = await app.enqueue(reply, { customer: 4411, message: 1 })
    const second = await app.enqueue(reply, { customer: 4411, message: 2 })
    const stateOf = async ({ id }: { id: number }) => (await app.store.read.job(id)).state
    await expect.poll(() => stateOf(first)).toBe('errored')
    const { page, go } = await dashboardOn(await serve(app.store))
    await go('?page=targets')
    await page.getByText('customer:4411').first().waitFor()
    expect(await stateOf(second)).toBe('waiting')
    isFixed = true
    await page
      .getByRole('button', { name: /^Resume/ })
      .first()
      .click()
    await expect.poll(() => stateOf(second)).toBe('succeeded')
    await page.getByRole('list', { name: 'Blocked targets' }).waitFor({ state: 'detached' })
  })

  it('pauses a queue with a reason, and resumes it', async () => {
    const { page, go, store }: Dashboard = await freshDashboard()
    await store.enqueue({ queue: 'images', kind: 'resize-image' })
    await go('?page=queues')
    await page.getByRole('button', { name: /Pause/ }).first().click()
    await confirm(page, 'Pause queue', 'S3 maintenance until 18:00')
    await page.getByText('S3 maintenance until 18:00').first().waitFor()
    expect(await store.queues.get('images')).toMatchObject({ pauseReason: 'S3 maintenance until 18:00' })
    await page
      .getByRole('button', { name: /Resume/ })
      .first()
      .click()
    await expect.poll(async () => (await store.queues.get('images')).pausedAt).toBeNull()
  })

  it('edits a schedule, with the next firings shown while it is typed', async () => {
    const { page, go, store }: Dashboard = await freshDashboard()
    const zone = { timeZone: 'Europe/Berlin' }
    await store.schedules.create({ name: 'report', kind: 'report', expression: '30 2 * * *', ...zone })
    await go('?page=schedule&name=report')
    await page.getByRole('button', { name: /^Edit/ }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Expression').fill('15 4 * * *')
    await dialog.getByRole('region', { name: 'Preview' }).getByText('04:15').first().waitFor()
    await dialog.getByRole('button', { name: 'Save changes' }).click()
    await dialog.waitFor({ state: 'hidden' })
    expect((await store.schedules.get('report')).expression).toBe('15 4 * * *')
  })

  it('drains a worker and watches it go', async () => {
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const slow = defineJob({ kind: 'slow', queue: 'media', handler: () => held })
    const app = await freshApp({ jobs: [slow] })
    // A short lease makes for frequent heartbeats, which bring the request to drain.
    const working = await app.work({ name: 'media-1', leaseMs: 3_000 })
    const { id: jobId } = await app.enqueue(slow, {})
    const { page, go } = await dashboardOn(await serve(app.store))
    await expect.poll(async () => (await app.store.read.job(jobId)).state).toMatch(/assigned|running/)
    await go('?page=workers')
    await page.getByRole('button', { name: /Drain/ }).first().click()
    await confirm(page, 'Drain worker', 'kernel update')
    await page.getByText(/drain/i).first().waitFor()
    release()
    await working.stopped
    await expect.poll(async () => (await app.store.read.job(jobId)).state).toBe('succeeded')
    await page.locator('main').getByText('media-1').waitFor({ state: 'detached', timeout: 100_000 })
  })
})
