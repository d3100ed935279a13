// The shell of the dashboard, Overview and the pages of care, as an operator uses them.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { ChoreRunner } from '../../src/app/chores/chore-runner.js'
import { expectAccessible } from '../support/browser/axe.js'
import { resize } from '../support/browser/dashboard.js'
import { openPage, PHONE } from '../support/browser/page.js'
import { serve, servePinned } from '../support/http.js'
import { fillShop } from '../support/shop/shop.js'
import { pinnedStore } from '../support/world.js'

async function openShop() {
  const { store, url, page } = await openEmpty()
  return { store, url, page, shop: await fillShop(store, store.clock) }
}

async function openEmpty() {
  const { store, url } = await servePinned()
  const { page } = await openPage()
  return { store, url, page }
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
const shows = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()

it('the overview names what is wrong, its button resumes a blocked target, and it fits a phone', async () => {
  const { store, shop, url, page } = await openShop()
  await page.goto(url)
  await page.getByRole('heading', { level: 1, name: /things? needs? you/ }).waitFor()
  const blocked = page.getByRole('listitem').filter({ hasText: `is blocked by job ${shop.blocked}` })
  await blocked.waitFor()
  await expectAccessible(page)
  await blocked.getByRole('button', { name: 'Resume' }).click()
  await page.getByLabel('Reason').fill('the partner answered')
  await page.keyboard.press('Enter')
  await blocked.waitFor({ state: 'detached' })
  expect((await store.read.job(shop.blocked)).state).not.toBe('errored')

  // On a phone nothing is wider than the screen, and the navigation is a drawer.
  await resize(page, PHONE)
  // biome-ignore lint/suspicious/noExplicitAny: this function runs in the page, whose types are not those of the tests
  const width = () => page.evaluate(() => (globalThis as any).document.documentElement.scrollWidth)
  await expect.poll(width).toBeLessThanOrEqual(PHONE.width)
  await button(page, 'Pages').click()
  await page.getByRole('link', { name: 'Alerts' }).click()
  await page.getByRole('heading', { level: 1, name: /alerts? fires?/ }).waitFor()
})

it('the keyboard alone goes everywhere', async () => {
  const { url, page } = await openEmpty()
  await page.goto(url)
  await shows(page, 'Three lines enqueue a job and run it')
  await expectAccessible(page)
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard' }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('g')
  await page.keyboard.press(',')
  await page.waitForURL(/page=settings/)
  await page.getByRole('row').filter({ hasText: 'ALERT_DAYS' }).waitFor()
  await page.keyboard.press('j')
  await expect.poll(() => page.locator('tr[data-row]:focus').count()).toBe(1)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Command' }).fill('audit')
  await page.keyboard.press('Enter')
  await page.waitForURL(/page=audit/)
  await page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor()
  await page.keyboard.press('/')
  await expect
    .poll(() =>
      page
        .getByRole('combobox', { name: /search/i })
        .and(page.locator(':focus'))
        .count(),
    )
    .toBe(1)
  await page.keyboard.type('state:failed')
  await page.keyboard.press('Enter')
  await page.waitForURL(/q=state:failed/)
  await page.goBack()
  await page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor()
})

it('doctor examines, a chore runs on demand, and the audit log has who did it', async () => {
  const store = await pinnedStore()
  const { url } = await serve(store, { chores: new ChoreRunner(store) })
  const { page } = await openPage()
  await page.goto(`${url}/?page=doctor`)
  await shows(page, /checks? made/)
  await button(page, 'Run now: prune-records').click()
  await shows(page, /prune-records ran/)
  await expectAccessible(page)
  await page.goto(`${url}/?page=audit`)
  const calls = page.getByRole('row').filter({ hasText: 'runChore' })
  await calls.first().waitFor()
  expect(await calls.count()).toBe(1)
  await page.getByLabel('Operation').fill('nothingOfTheKind')
  await shows(page, 'No call matches')
  await expectAccessible(page)
})

it('an alert is silenced for a while, and a rule is changed', async () => {
  const { store, url, page } = await openShop()
  await page.goto(`${url}/?page=alerts`)
  await button(page, /^Silence/)
    .first()
    .click()
  await page.getByLabel('Reason').fill('known')
  await page.keyboard.press('Enter')
  await button(page, 'End silence').first().waitFor()
  expect((await store.alerts.list()).filter(({ silenceReason }) => silenceReason === 'known')).toHaveLength(1)
  await button(page, 'Rules').click()
  await button(page, 'Change depth').click()
  await page.getByLabel('Limit').fill('77')
  await page.keyboard.press('Enter')
  await shows(page, 'more than 77 jobs of a queue wait to be claimed')
  await expectAccessible(page)
})

it('a setting is changed and reset', async () => {
  const { store, url, page } = await openEmpty()
  const row = page.getByRole('row').filter({ hasText: 'ALERT_DAYS' })
  await page.goto(`${url}/?page=settings`)
  await button(page, 'Change ALERT_DAYS').click()
  await page.getByLabel('Value').fill('31')
  await page.keyboard.press('Enter')
  await row.filter({ hasText: '31 days' }).waitFor()
  expect((await store.settings.list()).find(({ name }) => name === 'ALERT_DAYS')?.value).toBe(31)
  await button(page, 'Reset ALERT_DAYS').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Reset' }).click()
  await row.filter({ hasText: '31 days' }).waitFor({ state: 'detached' })
})

it('a key signs in, makes a key that is shown once and revokes it; a key that may only read has no commands', async () => {
  const { store, url } = await servePinned()
  const admin = await store.keys.create({ name: 'boss', scopes: ['admin'], tenant: '*' })
  const reader = await store.keys.create({ name: 'looker', scopes: ['read'], tenant: 'default' })
  const { page, problems } = await openPage()
  await page.goto(`${url}/?page=settings&tab=keys`)
  const signIn = async (key: string) => {
    await page.getByLabel('API key', { exact: true }).fill(key)
    await button(page, 'Sign in').click()
  }
  await signIn('hf_nothing')
  problems.expect(/401/)
  await shows(page, 'The server does not accept this key')
  await expectAccessible(page)
  await signIn(admin.secret)
  await button(page, 'Create key').click()
  await page.getByLabel('Name').fill('web')
  await page.keyboard.press('Enter')
  expect(await page.locator('[data-secret]').textContent()).toMatch(/^hf_/)
  await button(page, 'I have kept it').click()
  await button(page, 'More about web').click()
  await page.getByRole('menuitem', { name: 'Revoke' }).click()
  await button(page, 'Revoke key').click()
  await page.getByRole('row').filter({ hasText: 'web' }).filter({ hasText: 'revoked' }).waitFor()
  await button(page, 'Preferences').click()
  await page.getByRole('menuitem', { name: /Sign out/ }).click()
  await signIn(reader.secret)
  await shows(page, 'read-only')
  await page.goto(`${url}/?page=settings`)
  await page.getByRole('row').filter({ hasText: 'ALERT_DAYS' }).waitFor()
  expect(await button(page, 'Change ALERT_DAYS').count()).toBe(0)
})
