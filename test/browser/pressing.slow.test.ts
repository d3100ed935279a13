/** Buttons and keys under fingers that are in a hurry: pressed twice, while the answer is slow, on the wrong row. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { failedJob } from '../support/browser/acts.js'
import { freshDashboard, shopDashboard } from '../support/browser/dashboard.js'

/** Calls like this are noted, and go on only when they are let go. */
async function holdBack(page: Page, path: string, method: string) {
  const sent: string[] = []
  let letGo = () => {}
  const gate = new Promise<void>((resolve) => {
    letGo = resolve
  })
  await page.route(path, async (route) => {
    if (route.request().method() === method) {
      sent.push(route.request().url())
      await gate
    }
    await route.continue()
  })
  return { sent, letGo }
}

it('a dialog that is submitted twice sends one call', async () => {
  const { page, go, store } = await freshDashboard()
  await failedJob(store)
  await go('?page=jobs&q=state:failed')
  const { sent, letGo } = await holdBack(page, '**/api/v1/views', 'POST')
  await page.getByRole('button', { name: 'Save view…' }).click()
  await page.getByLabel('Name').fill('failed ones')
  await page.getByLabel('Name').press('Enter')
  await page.getByLabel('Name').press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Save view' }).click()
  letGo()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'failed ones' }).waitFor()
  expect(sent).toHaveLength(1)
})

it('a button keeps the focus while it is busy, and gets it back from its dialog', async () => {
  const { page, go, store } = await freshDashboard()
  await failedJob(store)
  await go('?page=jobs&q=state:failed')
  await page.getByLabel('Select all rows').check()
  const retry = page.getByRole('button', { name: 'Retry 1…' })
  await retry.click()
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await expect.poll(() => retry.evaluate((each) => each === each.ownerDocument.activeElement)).toBe(true)

  await go('?page=doctor')
  const { sent, letGo } = await holdBack(page, '**/api/v1/doctor*', 'GET')
  const run = page.getByRole('button', { name: 'Examine again' })
  await run.focus()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  expect(await run.getAttribute('aria-busy')).toBe('true')
  expect(await run.evaluate((each) => each === each.ownerDocument.activeElement)).toBe(true)
  letGo()
  await expect.poll(() => run.getAttribute('aria-busy')).toBe(null)
  expect(sent).toHaveLength(1)
})

it('a key does not press the button of a row that has not the focus', async () => {
  const { page } = await shopDashboard({ place: '?page=targets' })
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() !== 'GET') sent.push(request.url())
  })
  await page
    .getByRole('button', { name: /^Resume / })
    .first()
    .waitFor()
  // Resuming asks nothing.
  await page.keyboard.press('r')
  await page.keyboard.press('j')
  await page.keyboard.press('c')
  await page.getByRole('dialog').waitFor()
  expect(sent).toEqual([])
})
