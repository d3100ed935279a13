import { expect, it } from 'vitest'
import { freshDashboard } from '../support/browser/dashboard.js'
import { PHONE } from '../support/browser/page.js'
import { expectNoSideways } from '../support/browser/sideways.js'

it('names of one long word do not make a page wider than a phone', async () => {
  const { page, go, store } = await freshDashboard(PHONE)
  const { jobId } = await store.enqueue({
    ...{ queue: 'q'.repeat(60), kind: 'k'.repeat(100), key: 'y'.repeat(200), target: 't'.repeat(200) },
    input: { text: 'w'.repeat(2_000) },
  })
  for (const place of [`?page=job&id=${jobId}`, '?page=jobs', '?page=queues', '?page=targets']) {
    await go(place)
    await expectNoSideways(page)
    expect(await page.locator('main h1').count()).toBe(1)
  }
})
