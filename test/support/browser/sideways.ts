/** Nothing of a page is wider than the screen; parts that scroll by themselves may be. */
import type { Page } from 'playwright-core'

export async function expectNoSideways(page: Page): Promise<void> {
  const found = await page.evaluate(() => {
    // biome-ignore lint/suspicious/noExplicitAny: this function runs in the page, whose types are not those of the tests
    const { document, innerWidth } = globalThis as any
    if (document.documentElement.scrollWidth <= innerWidth) return []
    const wide = [...document.querySelectorAll('main *, header *')]
    const past = wide.filter((each) => each.getBoundingClientRect().right > innerWidth + 1)
    return past.slice(0, 8).map((each) => each.outerHTML.slice(0, 160))
  })
  if (found.length > 0)
    throw new Error(`${page.url()} is wider than ${page.viewportSize()?.width} px:\n${found.join('\n')}`)
}
