/** What can be pressed on a phone is as large as a thumb needs it. Links in running text are as high as their line. */
import type { Page } from 'playwright-core'

/** Of a side, in CSS pixels. */
const THUMB = 36

export async function expectThumbs(page: Page): Promise<void> {
  const small: string[] = await page.evaluate((least) => {
    // biome-ignore lint/suspicious/noExplicitAny: this function runs in the page, whose types are not those of the tests
    const { document } = globalThis as any
    const pressed =
      'button, input:not([type="hidden"]), select, textarea, summary, nav a, a.button, [role="menuitem"], [role="option"]'
    const found: string[] = []
    for (const each of document.querySelectorAll(pressed)) {
      // For password managers, not for people.
      if (each.getAttribute('aria-hidden') === 'true') continue
      // A label is pressed like its box, and a row of a table like its button.
      const { width, height } = (each.closest('label') ?? each).getBoundingClientRect()
      const isSeen = each.checkVisibility({ visibilityProperty: true, opacityProperty: true })
      if (!isSeen || width <= 1 || (width >= least - 0.5 && height >= least - 0.5)) continue
      found.push(`${Math.round(width)} x ${Math.round(height)}: ${each.outerHTML.slice(0, 140)}`)
    }
    return [...new Set(found)].slice(0, 12)
  }, THUMB)
  if (small.length > 0)
    throw new Error(`${page.url()} has targets smaller than ${THUMB} px:\n${small.join('\n')}`)
}
