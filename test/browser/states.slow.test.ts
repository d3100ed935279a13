/** Dialogs, the palette, the login page, pages without data: what holds in every state that the pictures show, not only on every page. */
import type { Page } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import { expectAccessible } from '../support/browser/axe.js'
import { openPage, PHONE } from '../support/browser/page.js'
import { expectNoSideways } from '../support/browser/sideways.js'
import { expectThumbs } from '../support/browser/thumbs.js'
import { fillShop } from '../support/shop/shop.js'
import { pinnedStore } from '../support/world.js'
import { openState } from './pictures/open-state.js'
import { STATES, type State } from './pictures/states.js'
import { Worlds } from './pictures/worlds.js'

async function openWorlds() {
  const [filled, empty, locked] = [await pinnedStore(), await pinnedStore(), await pinnedStore()]
  // Lists longer than a page, so that there is more to select than is shown.
  const shop = await fillShop(filled, filled.clock, { hours: 2, jobsPerStep: 120 })
  for (const each of [empty, locked]) await each.clock.set(shop.now)
  const worlds = new Worlds({ filled, empty, locked }, shop)
  onTestFinished(() => worlds.close())
  return worlds
}

/** What these states provoke is no flaw of the page. */
const PROVOKED = / 401$|status of 401|503|404|ERR_|Failed to load/

async function flawsOf(kind: keyof typeof STATES): Promise<string> {
  const worlds = await openWorlds()
  const [desk, phone] = [await openPage(), await openPage(PHONE)]
  for (const { problems } of [desk, phone]) problems.expect(PROVOKED)
  const flaws: string[] = []
  const check = async (name: string, page: Page, state: State, examine: () => Promise<void>) => {
    try {
      await openState(page, state, worlds)
      await examine()
    } catch (error) {
      flaws.push(`${name}: ${(error as Error).message}`)
    }
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.context().clearCookies()
  }
  for (const [name, state] of Object.entries(STATES[kind](worlds.shop))) {
    await check(name, desk.page, state, () => expectAccessible(desk.page))
    await check(`${name} on a phone`, phone.page, state, async () => {
      await expectNoSideways(phone.page)
      await expectThumbs(phone.page)
    })
  }
  return flaws.join('\n\n')
}

it('dialogs are accessible in both themes, fit a phone and suit a thumb', async () => {
  expect(await flawsOf('dialogs')).toBe('')
})

it('menus, searches, errors and a page that is not live are accessible in both themes, fit a phone and suit a thumb', async () => {
  expect(await flawsOf('around')).toBe('')
})

it('the login page and pages without data are accessible in both themes, fit a phone and suit a thumb', async () => {
  expect(await flawsOf('beginnings')).toBe('')
})
