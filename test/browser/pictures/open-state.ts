/** Opens a page and brings it into a state. */
import type { Page } from 'playwright-core'
import type { State } from './states.js'
import type { Worlds } from './worlds.js'

export async function openState(page: Page, state: State, worlds: Worlds): Promise<void> {
  await page.clock.setFixedTime(worlds.shop.now)
  const url = await worlds.url(state.world)
  await state.before?.(page)
  await page.goto(`${url}/${state.place}`)
  if (state.world === 'locked') await page.getByLabel('API key', { exact: true }).waitFor()
  else if (state.loads !== true) await whenDrawn(page)
  await state.reach?.(page, worlds.hands)
  await framesDrawn(page)
}

async function whenDrawn(page: Page): Promise<void> {
  await page.locator('main h1').first().waitFor()
  await page.waitForFunction(() => {
    // biome-ignore lint/suspicious/noExplicitAny: this function runs in the page, whose types are not those of the tests
    const { document } = globalThis as any
    return document.querySelector('[aria-busy="true"]') === null
  })
  await framesDrawn(page)
}

/** Charts are drawn in the frame after their data and their code have come. */
async function framesDrawn(page: Page): Promise<void> {
  await page.evaluate(async () => {
    // biome-ignore lint/suspicious/noExplicitAny: this function runs in the page, whose types are not those of the tests
    const { document, requestAnimationFrame } = globalThis as any
    await document.fonts.ready
    for (let frame = 0; frame < 5; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve))
  })
}
