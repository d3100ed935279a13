import { expect, it } from 'vitest'
import { dashboardOn } from '../support/browser/dashboard.js'
import { ReverseProxy } from '../support/browser/reverse-proxy.js'
import { serve } from '../support/http.js'
import { freshStore } from '../support/world.js'

it('the page shows since when it is not live, keeps what it had, and is live again by itself', async () => {
  const served = await serve(await freshStore())
  await served.store.enqueue({ queue: 'mails', kind: 'send-email' })
  const proxy = await ReverseProxy.open(served.url)
  const { page, go, problems } = await dashboardOn({ ...served, url: proxy.url })
  await go('?page=queues')
  await page.getByText('mails').first().waitFor()
  problems.expect(/net::ERR_|Failed to load resource/)
  proxy.cut()
  await page.getByText(/^Not live since \d\d:\d\d/).waitFor()
  expect(await page.getByText('mails').first().isVisible()).toBe(true)
  proxy.restore()
  await page.getByText(/^Not live since/).waitFor({ state: 'detached' })
})
