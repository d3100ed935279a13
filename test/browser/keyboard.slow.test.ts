/** Whole tasks of an operator without a mouse. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { failedJob } from '../support/browser/acts.js'
import { type Dashboard, freshDashboard, settled } from '../support/browser/dashboard.js'

/** Presses Tab until the focus is on an element with this name, as a person would. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let pressed = 0; pressed < 80; pressed++) {
    await page.keyboard.press('Tab')
    const focused = await page.locator(':focus').evaluateAll(([element]) => {
      // biome-ignore lint/suspicious/noExplicitAny: this function runs in the page, whose types are not those of the tests
      const { computedName, ariaLabel, textContent } = (element ?? {}) as any
      return String(computedName ?? ariaLabel ?? textContent ?? '')
    })
    if (name.test(focused)) return
  }
  throw new Error(`Tab does not reach ${name}`)
}

it('a failed job is found, read and retried', async () => {
  const { page, go, store }: Dashboard = await freshDashboard()
  const jobId = await failedJob(store)
  await go()
  await page.keyboard.press('/')
  await page.keyboard.type('input.user.id:u_8812')
  await page.keyboard.press('Enter')
  // The overview has rows, too.
  await page.waitForURL(/page=jobs/)
  await settled(page)
  await page.locator('[data-row]').first().waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('j')
  await expect.poll(() => page.locator('[data-row]:focus').count()).toBe(1)
  await page.keyboard.press('Enter')
  await page.getByText('Why did it fail?').waitFor()
  await page.keyboard.press('r')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.type('the card network is back')
  await page.keyboard.press('Enter')
  await page.locator('h1').getByText('queued').waitFor()
  const events = await store.read.events(jobId)
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'retried', reason: 'the card network is back' }),
  )
})

it('rows are selected and canceled, a dialog is left with Escape, and the focus returns', async () => {
  const { page, go, store }: Dashboard = await freshDashboard()
  const made = await store.enqueueMany(
    Array.from({ length: 3 }, () => ({ queue: 'mails', kind: 'send-email' })),
  )
  await go('?page=jobs&q=queue:mails')
  await page.locator('[data-row]').nth(2).waitFor()
  for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key)
  await page.getByRole('toolbar', { name: 'Selected jobs' }).getByText('2 selected').waitFor()
  await page.keyboard.press('c')
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  await page.keyboard.press('c')
  await dialog.waitFor()
  await page.keyboard.type('sent twice')
  await page.keyboard.press('Enter')
  await page.getByText('2 jobs canceled').waitFor()
  const states = await Promise.all(made.map(async ({ jobId }) => (await store.read.job(jobId)).state))
  expect(states.sort()).toEqual(['canceled', 'canceled', 'queued'])
})

it('a queue is paused with Tab and Enter, and what has the focus is visible', async () => {
  const { page, go, store }: Dashboard = await freshDashboard()
  await store.enqueue({ queue: 'images', kind: 'resize-image' })
  await go()
  await page.keyboard.press('g')
  await page.keyboard.press('q')
  await page.getByRole('link', { name: 'images' }).first().waitFor()
  await tabTo(page, /^Pause/)
  const outline = await page.locator(':focus').evaluate((element) => {
    // biome-ignore lint/suspicious/noExplicitAny: this function runs in the page, whose types are not those of the tests
    const { outlineStyle, outlineWidth } = (globalThis as any).getComputedStyle(element)
    return `${outlineStyle} ${outlineWidth}`
  })
  expect(outline).not.toMatch(/^none| 0px$/)
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.type('S3 maintenance')
  await page.keyboard.press('Enter')
  await page.getByText('S3 maintenance').first().waitFor()
  expect(await store.queues.get('images')).toMatchObject({ pauseReason: 'S3 maintenance' })
})
