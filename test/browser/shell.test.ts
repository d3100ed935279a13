import { expect, it } from 'vitest'
import { freshDashboard } from '../support/browser/dashboard.js'

it('the overview begins with the lines that enqueue the first job, and fills as it runs', async () => {
  const { page, go, store } = await freshDashboard()
  await go()
  await page.getByText('enqueue').first().waitFor()
  await store.enqueue({ queue: 'mails', kind: 'send-email' })
  const link = page.getByRole('link', { name: /mails/ }).first()
  await link.waitFor()
  expect(await link.getAttribute('href')).toContain('mails')
})
