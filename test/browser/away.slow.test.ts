/** A person goes on while the server is away. */
import { expect, it } from 'vitest'
import { failedJob } from '../support/browser/acts.js'
import { dashboardOn } from '../support/browser/dashboard.js'
import { ReverseProxy } from '../support/browser/reverse-proxy.js'
import { serve } from '../support/http.js'
import { freshStore } from '../support/world.js'

it('pages and searches that were opened meanwhile come by themselves when it is back', async () => {
  const served = await serve(await freshStore())
  const jobId = await failedJob(served.store)
  const proxy = await ReverseProxy.open(served.url)
  const { page, go, problems } = await dashboardOn({ ...served, url: proxy.url })
  await go()
  problems.expect(/net::ERR_|Failed to load resource|dynamically imported/)
  const nav = page.getByRole('navigation', { name: 'Pages' })
  proxy.cut()
  await nav.getByRole('link', { name: /^Jobs/ }).click()
  await page.getByText('The server cannot be reached.').first().waitFor()
  proxy.restore()
  await page.getByRole('link', { name: `charge-card #${jobId}` }).waitFor()

  proxy.cut()
  await page.getByText(/^Not live since/).waitFor()
  await nav.getByRole('link', { name: /^Queues/ }).click()
  await page.locator('main').getByText('The server cannot be reached.').first().waitFor()
  expect(await page.getByText('may have been updated').count()).toBe(0)
  proxy.restore()
  await page.getByRole('heading', { name: 'Queues' }).waitFor()
  await page.getByText('billing').first().waitFor()
})
