/** What a page shows of a job while it runs, without being loaded again. */
import { defineJob } from 'holdfast'
import { expect, it } from 'vitest'
import { freshApp } from '../support/app.js'
import { dashboardOn } from '../support/browser/dashboard.js'
import { serve } from '../support/http.js'

it('the page of a running job follows its log and progress, its children, and its end', async () => {
  const steps: (() => void)[] = []
  const step = () => new Promise<void>((resolve) => steps.push(resolve))
  const next = async () => {
    await expect.poll(() => steps.length).toBe(1)
    steps.pop()?.()
  }
  const page1 = defineJob({ kind: 'fetch-page', queue: 'pages', handler: () => {} })
  const crawl = defineJob({
    ...{ kind: 'crawl', queue: 'crawls' },
    handler: async (ctx) => {
      ctx.log('opening the site')
      await ctx.progress({ done: 1, of: 4 })
      await step()
      ctx.log.warn('page 2 is slow', { ms: 900 })
      await ctx.progress({ done: 2, of: 4 })
      await ctx.enqueue(page1, {})
      await step()
      ctx.log('closing')
    },
  })
  const app = await freshApp({ jobs: [crawl, page1] })
  await app.work({ queues: ['crawls'] })
  const { id } = await app.enqueue(crawl, {})
  const { page, go } = await dashboardOn(await serve(app.store))
  await go(`?page=job&id=${id}`)
  const log = page.getByRole('list', { name: 'Log' })
  await log.getByText('opening the site').waitFor()
  await page.getByText('1 of 4').first().waitFor()
  await next()
  await page.getByText('2 of 4').first().waitFor()
  await log.getByText('page 2 is slow').waitFor()
  await page
    .getByRole('list', { name: 'Related jobs' })
    .getByRole('link', { name: /fetch-page/ })
    .waitFor()
  await next()
  await page.locator('h1').getByText('succeeded').waitFor()
  // The log of the ended attempt has taken the place of the lines.
  await log.getByText('closing').waitFor()
  await expect.poll(() => log.getByText('opening the site').count()).toBe(1)
})
