/** The dashboard of a real server on a database of the test, open in a page. */
import type { ServerOptions } from 'holdfast/server'
import type { Store } from 'holdfast/store'
import type { PinnedClock } from 'holdfast/testing'
import type { Page } from 'playwright-core'
import { type Served, serve } from '../http.js'
import { fillShop, type Shop, type ShopOptions } from '../shop/shop.js'
import { freshStore, pinnedStore, type World } from '../world.js'
import { type OpenedPage, openPage, type PageOptions } from './page.js'

export interface Dashboard<S extends Store = Store> extends OpenedPage, Served<S> {
  /** Opens a place of the dashboard: `?page=jobs&q=state:failed`. Resolves when its heading and its data are there. */
  go(place?: string): Promise<void>
}

export interface DashboardOptions extends PageOptions {
  readonly server?: ServerOptions
  /** Opened as the first place; undefined opens none. */
  readonly place?: string
}

/** On a database whose clock runs. */
export async function freshDashboard(options: DashboardOptions = {}): Promise<Dashboard> {
  return dashboardOn(await serve(await freshStore(), options.server), options)
}

/** On a seeded database whose clock, like the page's, stands still. */
export async function shopDashboard(
  options: DashboardOptions & { readonly shop?: ShopOptions } = {},
): Promise<Dashboard<World> & { readonly shop: Shop; readonly clock: PinnedClock }> {
  const store = await pinnedStore()
  const shop = await fillShop(store, store.clock, options.shop)
  const served = await serve(store, options.server, (app) => pinDateHeader(app, shop.now))
  const dashboard = await dashboardOn(served, { now: shop.now, ...options })
  return { ...dashboard, shop, clock: store.clock }
}

export async function dashboardOn<S extends Store>(
  served: Served<S>,
  options: DashboardOptions = {},
): Promise<Dashboard<S>> {
  const opened = await openPage(options)
  const { place } = options
  const go = (to = '') => visit(opened.page, `${served.url}/${to}`)
  if (place !== undefined) await go(place)
  return { ...served, ...opened, go }
}

/** Waits on what the page itself shows: its heading, and no part that still loads. */
async function visit(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await settled(page)
}

export async function settled(page: Page): Promise<void> {
  await page.locator('main h1').first().waitFor()
  await page.waitForFunction(() => {
    // biome-ignore lint/suspicious/noExplicitAny: this function runs in the page, whose types are not those of the tests
    const { document } = globalThis as any
    return document.querySelector('[aria-busy="true"]') === null
  })
}

/** Resolves when the page has its new size: a busy browser is asked for it long before. */
export async function resize(page: Page, size: { width: number; height: number }): Promise<void> {
  await page.setViewportSize(size)
  // biome-ignore lint/suspicious/noExplicitAny: this function runs in the page, whose types are not those of the tests
  await page.waitForFunction((width) => (globalThis as any).innerWidth === width, size.width)
}

/** The page takes the time of the server from this header, and the clock of the shop stands still. */
function pinDateHeader(app: Served['app'], now: Date): void {
  app.addHook('onSend', async (_request, reply) => void reply.header('date', now.toUTCString()))
}
