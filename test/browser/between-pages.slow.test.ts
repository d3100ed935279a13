/** From page to page: what is asked for, and what is there when a person comes back. */
import { expect, it } from 'vitest'
import { failedJob } from '../support/browser/acts.js'
import { freshDashboard } from '../support/browser/dashboard.js'

it('a page that is left does not load what is meant for the next one', async () => {
  const { page, go, store } = await freshDashboard()
  const jobId = await failedJob(store)
  await go('?page=jobs&q=state:failed')
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await page.getByRole('link', { name: `charge-card #${jobId}` }).click()
  await page.getByText('Why did it fail?').waitFor()
  // The search is in the URL of the list alone; without it the list would load every job.
  expect(asked.filter((url) => url.includes('/jobs/search'))).toEqual([])
})

it('back from a job shows the list as it was left, scrolled and with its pages', async () => {
  const { page, go, store } = await freshDashboard()
  const jobs = Array.from({ length: 260 }, () => ({ queue: 'mail', kind: 'welcome' }))
  const made = await store.enqueueMany(jobs)
  await go('?page=jobs&q=kind:welcome')
  await page.getByRole('heading', { name: '100+ jobs' }).waitFor()
  // The oldest one is on the third page.
  const oldest = page.getByRole('link', { name: `welcome #${made[0]?.jobId}`, exact: true })
  await expect
    .poll(async () => {
      await page.mouse.wheel(0, 4_000)
      return oldest.isVisible()
    })
    .toBe(true)
  await oldest.click()
  await page.getByText('Why is it not running?').waitFor()
  await page.goBack()
  await page.getByRole('heading', { name: '260 jobs' }).waitFor()
  await expect.poll(() => oldest.evaluate((each) => each.getBoundingClientRect().top < 900)).toBe(true)
  // Without coming back it begins with the newest.
  await page
    .getByRole('navigation', { name: 'Pages' })
    .getByRole('link', { name: /^Errors/ })
    .click()
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: /^Jobs/ }).click()
  await page.getByRole('heading', { name: '100+ jobs' }).waitFor()
})
