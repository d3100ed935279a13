import { describe, expect, it } from 'vitest'
import { misfit, sharedBrowser, versions } from '../support/browser/chromium.js'

describe('the browser of the tests', () => {
  it('is of a version that playwright-core is made for', async () => {
    const found = await versions()
    expect(misfit(found)).toBeUndefined()
    expect((await sharedBrowser()).version()).toBe(found.chromium)
  })

  it('is named, with playwright-core, where the two do not fit', () => {
    const pair = { playwright: '1.64.1', madeFor: '156.0.8078.4', chromium: '142.0.1.2' }
    expect(misfit(pair)).toMatch(/playwright-core 1\.64\.1 .*Chromium 156\.0\.8078\.4.*Chromium 142\.0\.1\.2/)
    expect(misfit({ ...pair, chromium: 'unknown' })).toContain('Chromium unknown')
    expect(misfit({ ...pair, chromium: '158.0.1.2' })).toBeUndefined()
  })

  it('shows a page', async () => {
    const context = await (await sharedBrowser()).newContext()
    const page = await context.newPage()
    await page.setContent('<h1>Holdfast</h1>')
    expect(await page.getByRole('heading').innerText()).toBe('Holdfast')
    await context.close()
  })
})
