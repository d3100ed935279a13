/** What holds on every page, looked at in one visit each. Every flaw is listed, not only the first. */
import { expect, it } from 'vitest'
import { expectAccessible } from '../support/browser/axe.js'
import { resize, settled, shopDashboard } from '../support/browser/dashboard.js'
import { PHONE } from '../support/browser/page.js'
import { places } from '../support/browser/places.js'
import { addPolyglots, PIECE, poisoned, polyglot } from '../support/browser/polyglots.js'
import { expectNoSideways } from '../support/browser/sideways.js'
import { expectThumbs } from '../support/browser/thumbs.js'

const DESK = { width: 1280, height: 900 }
it('the overview shows problems first, and every action of it can be pressed on a phone', async () => {
  const { page, go } = await shopDashboard()
  await go()
  const title = await page.locator('main h1').innerText()
  expect(title).toMatch(/^\d+ things? needs? you$/)
  await expectAccessible(page)
  await resize(page, PHONE)
  await settled(page)
  await expectNoSideways(page)
  for (const action of await page.locator('main').getByRole('button').all())
    if (await action.isVisible()) await action.click({ trial: true })
})

it('every page is accessible in both themes, fits a phone and suits a thumb', async () => {
  const { page, go, shop } = await shopDashboard()
  const flaws: string[] = []
  const check = async (place: string, work: () => Promise<void>) => {
    await work().catch((error: Error) => flaws.push(`${place}: ${error.message}`))
  }
  for (const [name, place] of Object.entries(places(shop))) {
    await resize(page, DESK)
    await check(name, async () => {
      await go(place)
      await expectAccessible(page)
    })
    await resize(page, PHONE)
    await check(`${name} on a phone`, async () => {
      await settled(page)
      await expectNoSideways(page)
      await expectThumbs(page)
    })
  }
  expect(flaws.join('\n\n')).toBe('')
})

it('text that would run as a script is text on every page', async () => {
  const { page, go, shop, store } = await shopDashboard()
  const { job, failed } = await addPolyglots(store)
  const hostile = {
    ...places(shop),
    job: `?page=job&id=${job}`,
    'job, failed': `?page=job&id=${failed}`,
    schedule: '?page=schedule&name=hostile',
    queue: '?page=queue&name=crm',
    kind: '?page=kind&name=hostile&kind=hostile',
  }
  const shown: string[] = []
  for (const [name, place] of Object.entries(hostile)) {
    await go(place)
    if ((await page.locator('body').innerText()).includes(PIECE)) shown.push(name)
    const addresses = await page.locator('a[href]').evaluateAll((links) => links.map((each) => `${each}`))
    expect(addresses.filter((address) => !address.startsWith('http'))).toEqual([])
  }
  // Pages that show such text at all; the watch over the page fails the test when any of it ran.
  expect(shown).toEqual(expect.arrayContaining(['job', 'job, failed', 'queue', 'schedule', 'audit']))
})

it('text that would run as a script is text in every field of every answer, in the address and in what is typed', async () => {
  const { page, go, shop, problems } = await shopDashboard()
  // The server refuses such text where it takes a name.
  problems.expect(/^response: .* 4\d\d$|^console: .* status of 4\d\d/)
  await page.route(/\/api\/v1\/(?!session|events\b)/, async (route) => {
    const response = await route.fetch()
    const isJson = response.headers()['content-type']?.startsWith('application/json')
    if (!isJson || !response.ok()) return route.fulfill({ response })
    await route.fulfill({ response, json: poisoned(await response.json()) })
  })
  const without: string[] = []
  for (const [name, place] of Object.entries(places(shop))) {
    await go(place)
    if (!(await page.locator('body').innerText()).includes(PIECE)) without.push(name)
    const addresses = await page.locator('a[href]').evaluateAll((links) => links.map((each) => `${each}`))
    expect(addresses.filter((address) => !address.startsWith('http'))).toEqual([])
  }
  expect(without).toEqual([])
  await page.unroute(/\/api\/v1\/(?!session|events\b)/)
  for (const param of ['page', 'q', 'id', 'name', 'tab', 'span', 'queue', 'kind', 'state']) {
    const text = encodeURIComponent(polyglot(param))
    for (const base of ['jobs', 'job', 'queue', 'kind', 'schedule', 'worker', 'error', 'audit'])
      await page.goto(`${new URL(page.url()).origin}/?page=${base}&${param}=${text}`)
  }
  await go('?page=jobs')
  await page.keyboard.press('/')
  await page.keyboard.insertText(polyglot('typed'))
  await page.keyboard.press('Enter')
  await page.locator('main h1').waitFor()
})
