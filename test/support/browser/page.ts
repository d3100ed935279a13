/**
 * A page of a test's own in the shared browser, and what went wrong in it: errors on the console, requests that failed or were refused,
 * reports of the content security policy, scripts that ran from data. The test fails when anything did; what it provokes on purpose it
 * expects by name. A failed test leaves a picture.
 */
import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { sharedBrowser } from './chromium.js'

export interface PageOptions {
  readonly theme?: 'light' | 'dark'
  readonly width?: number
  readonly height?: number
  /** What the page takes for the present; its timers run all the same. */
  readonly now?: Date
}

/** A phone in the hand; the narrowest screen on which everything can be done. */
export const PHONE = { width: 375, height: 740 } as const
const DESK = { width: 1280, height: 900 } as const
/** A page that shows nothing after this long will not. */
const WAIT_MS = 60_000
const PICTURES = join(tmpdir(), 'holdfast-browser')

/** What polyglots call: see polyglots.ts. */
const ALARM = 'alarm'

export class Problems {
  readonly #found: string[] = []
  readonly #expected: RegExp[] = []

  add(problem: string): void {
    this.#found.push(problem)
  }

  /** Problems like this are what the test is about. */
  expect(pattern: RegExp): void {
    this.#expected.push(pattern)
  }

  get left(): string[] {
    return this.#found.filter((problem) => !this.#expected.some((pattern) => pattern.test(problem)))
  }
}

export interface OpenedPage {
  readonly page: Page
  readonly problems: Problems
}

export async function openPage(options: PageOptions = {}): Promise<OpenedPage> {
  const { theme = 'light', width = DESK.width, height = DESK.height, now } = options
  const context = await (await sharedBrowser()).newContext({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
  })
  context.setDefaultTimeout(WAIT_MS)
  const problems = new Problems()
  const page = await watched(context, problems)
  if (now !== undefined) await page.clock.setFixedTime(now)
  onTestFinished(async ({ task }) => {
    const { left } = problems
    if (task.result?.state === 'fail' || left.length > 0) await keepPicture(page, task.name)
    await context.close()
    if (left.length > 0) throw new Error(`the page had problems:\n${left.join('\n')}`)
  })
  return { page, problems }
}

async function watched(context: BrowserContext, problems: Problems): Promise<Page> {
  await context.exposeBinding(ALARM, (_source, name) => problems.add(`a script ran from data: ${name}`))
  await context.exposeBinding('reportViolation', (_source, violation) => problems.add(`CSP: ${violation}`))
  await context.addInitScript(() => {
    // biome-ignore lint/suspicious/noExplicitAny: this function runs in the page, whose types are not those of the tests
    const here = globalThis as any
    here.addEventListener('securitypolicyviolation', (event: Record<string, unknown>) => {
      const { violatedDirective, blockedURI, sourceFile, lineNumber, sample } = event
      here.reportViolation(`${violatedDirective} ${blockedURI} at ${sourceFile}:${lineNumber} ${sample}`)
    })
  })
  const page = await context.newPage()
  page.on('console', (message) => {
    if (message.type() === 'error') problems.add(`console: ${message.text()} (${message.location().url})`)
  })
  page.on('pageerror', (error) => problems.add(`uncaught: ${error.stack ?? error.message}`))
  page.on('dialog', (dialog) => {
    problems.add(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('requestfailed', (request) => {
    const why = request.failure()?.errorText ?? ''
    // The page itself ends calls that it no longer needs.
    if (why !== 'net::ERR_ABORTED') problems.add(`request: ${request.method()} ${request.url()} ${why}`)
  })
  page.on('response', (response) => {
    if (response.status() >= 400)
      problems.add(`response: ${response.request().method()} ${response.url()} ${response.status()}`)
  })
  return page
}

async function keepPicture(page: Page, test: string): Promise<void> {
  mkdirSync(PICTURES, { recursive: true })
  const path = join(PICTURES, `${test.replaceAll(/\W+/g, '-').slice(0, 80)}.png`)
  const taken = await page.screenshot({ path, timeout: 5_000 }).then(
    () => `a picture of the page is in ${path}`,
    (error: Error) => `no picture: ${error.message}`,
  )
  const text = await page
    .locator('body')
    .innerText({ timeout: 2_000 })
    .catch(() => '')
  console.error(`${taken}; at ${page.url()} it shows:\n${text.slice(0, 1_500)}`)
}
