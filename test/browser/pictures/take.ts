/**
 * Takes a picture of every page in light, in dark and on a phone, of a shop whose clock stands still, and of some states of pages. Run by
 * scripts/screenshots.js: the folder to write to, then the names of the pictures, or none for those of the documents. What the doctor
 * finds in this database is true: it is thrown away, so it need not be durable, and its clock was replaced.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { startEmbedded } from 'holdfast/embedded'
import { openStore, type Store } from 'holdfast/store'
import { pinClock } from 'holdfast/testing'
import type { Browser, Page } from 'playwright-core'
import sharp from 'sharp'
import { sharedBrowser } from '../../support/browser/chromium.js'
import { fillShop, type Shop } from '../../support/shop/shop.js'
import { openState } from './open-state.js'
import { type State, statesOf } from './states.js'
import { Worlds } from './worlds.js'

const LOOKS = {
  light: { viewport: { width: 1280, height: 900 }, colorScheme: 'light' },
  dark: { viewport: { width: 1280, height: 900 }, colorScheme: 'dark' },
  phone: { viewport: { width: 375, height: 812 }, colorScheme: 'light' },
} as const
type Look = keyof typeof LOOKS
/** A state that is not reached by then will not be. */
const WAIT_MS = 15_000
/** A whole day, and the last hour minute by minute. */
const PAST = { hours: 24, everyMinutes: 7.5, jobsPerStep: 90, lifelike: true }
/** Sharp letters at a few kilobytes: a palette would lose the colours of small labels. */
const WEBP = { nearLossless: true, quality: 40, effort: 6 } as const

const pagesOf = (shop: Shop): Record<string, string> => ({
  overview: '',
  jobs: '?page=jobs&q=state:failed,retrying kind:charge-card',
  job: `?page=job&id=${shop.failed}`,
  'job-blocked': `?page=job&id=${shop.blocked}`,
  'job-running': `?page=job&id=${shop.running}`,
  errors: '?page=errors',
  kinds: '?page=kinds',
  kind: '?page=kind&name=charge-card',
  queues: '?page=queues',
  queue: '?page=queue&name=billing',
  targets: '?page=targets',
  schedules: '?page=schedules',
  schedule: '?page=schedule&name=sync-contacts',
  workers: '?page=workers',
  worker: '?page=worker&name=billing-1',
  doctor: '?page=doctor',
  alerts: '?page=alerts',
  audit: '?page=audit',
  settings: '?page=settings',
})

/** With its charts and their legends; the other pages show what they are about on one screen. */
const TALL: Readonly<Record<string, number>> = { overview: 1_000 }

/** What is done on a page before its picture is taken. */
const BEFORE: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  jobs: (page) => page.getByLabel('Select all rows').check(),
}

/** The fonts that the style sheet names first. Programs of people have them or others; pictures must not differ from machine to machine. */
const FONTS = [
  ['Inter', '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'],
  ['JetBrains Mono', '@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2'],
].map(([family, file = '']) => ({
  family,
  base64: readFileSync(createRequire(import.meta.url).resolve(file)).toString('base64'),
}))

type Listed = State & { readonly isPage?: true }

const [folder = '', ...wanted] = process.argv.slice(2)
const isForDocuments = folder.endsWith('docs/images/dashboard')
const server = await startEmbedded({ ephemeral: true })
try {
  const store = await openStore({ url: server.url, migrate: true })
  const shop = await fillShop(store, await pinClock(store), PAST)
  const [empty, locked] = (await Promise.all(
    ['empty', 'locked'].map(async (schema) => {
      const opened = await openStore({ url: server.url, schema, migrate: true })
      await pinClock(opened, shop.now)
      return opened
    }),
  )) as [Store, Store]
  const browser = await sharedBrowser()
  mkdirSync(folder, { recursive: true })
  const worlds = new Worlds({ filled: store, empty, locked }, shop)
  for (const look of Object.keys(LOOKS) as Look[]) await takeAll(browser, look, worlds)
  await browser.close()
  await worlds.close()
  await Promise.all([store, empty, locked].map((each) => each.close()))
} finally {
  await server.stop()
}

async function takeAll(browser: Browser, look: Look, worlds: Worlds): Promise<void> {
  const context = await browser.newContext({
    ...LOOKS[look],
    ...{ reducedMotion: 'reduce', locale: 'en-GB', timezoneId: 'Europe/Berlin' },
  })
  const { shop } = worlds
  const pages = Object.entries(pagesOf(shop)).map(([name, place]): [string, Listed] => [
    name,
    {
      world: 'shop',
      place,
      isPage: true,
      kept: true,
      ...(BEFORE[name] === undefined ? {} : { reach: BEFORE[name] }),
    },
  ])
  for (const [name, state] of [...pages, ...Object.entries(statesOf(shop))]) {
    if (!isWanted(name, look, state)) continue
    const file = `${name}-${look}`
    await context.clearCookies()
    const page = await context.newPage()
    try {
      page.setDefaultTimeout(WAIT_MS)
      if (look !== 'phone') await page.setViewportSize({ width: 1280, height: TALL[name] ?? 900 })
      await withFonts(page)
      await openState(page, state, worlds)
      const picture = await page.screenshot({ animations: 'disabled', caret: 'hide' })
      const small = isForDocuments ? await sharp(picture).webp(WEBP).toBuffer() : picture
      writeFileSync(join(folder, `${file}.${isForDocuments ? 'webp' : 'png'}`), small)
      console.log(`${file} ${(small.length / 1_000).toFixed(0)} kB`)
    } catch (error) {
      process.exitCode = 1
      console.error(`${file}: ${(error as Error).message}`)
    }
    await page.close()
  }
  await context.close()
}

/** Nothing asked for: what the documents show. Else names of pages, states or pictures, `pages`, `states`, and looks. */
function isWanted(name: string, look: Look, { kept, isPage }: Listed): boolean {
  const asked = wanted.filter((each) => !(each in LOOKS))
  const looks = wanted.filter((each) => each in LOOKS)
  if (looks.length > 0 && !looks.includes(look)) return false
  if (asked.length === 0) return kept === true
  return [name, `${name}-${look}`, isPage ? 'pages' : 'states'].some((each) => asked.includes(each))
}

/** The fonts are there before the first letter is drawn. */
async function withFonts(page: Page): Promise<void> {
  await page.addInitScript((fonts) => {
    // biome-ignore lint/suspicious/noExplicitAny: this function runs in the page, whose types are not those of the tests
    const { document, FontFace } = globalThis as any
    for (const { family, base64 } of fonts) {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
      document.fonts.add(new FontFace(family, bytes, { weight: '100 900' }))
    }
  }, FONTS)
}
