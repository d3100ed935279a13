/**
 * The browser of the tests: the system's Chromium, driven by playwright-core, which downloads none. Launched by the first test of a vitest
 * worker that needs it and shared by those after it; each test opens a context of its own. It ends with the worker: its pipe closes.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium } from 'playwright-core'

const USUAL_PATH = '/usr/bin/chromium'
const LAUNCH_WITHIN_MS = 90_000
/** playwright-core follows Chromium's protocol closely, and was seen to work with its neighbours. */
const MAJORS_APART_MAX = 4

let launched: Promise<Browser> | undefined

export function sharedBrowser(): Promise<Browser> {
  launched ??= launch()
  return launched
}

async function launch(): Promise<Browser> {
  const path = chromiumPath()
  try {
    return await chromium.launch({
      executablePath: path,
      timeout: LAUNCH_WITHIN_MS,
      // Tests run as root in containers with a small /dev/shm; what they open is our own page.
      chromiumSandbox: false,
      args: ['--disable-dev-shm-usage', '--disable-gpu', '--font-render-hinting=none'],
    })
  } catch (error) {
    throw new Error(`${path} did not start. ${misfit(await versions()) ?? ''}\n${(error as Error).message}`)
  }
}

/** Installs it where this can be done, as for the other programs of the system; otherwise fails with the command to run. */
function chromiumPath(): string {
  const named = process.env.CHROMIUM_PATH
  if (named !== undefined && named !== '') {
    if (existsSync(named)) return named
    throw new Error(`CHROMIUM_PATH is ${named}, and there is no such file.`)
  }
  if (existsSync(USUAL_PATH)) return USUAL_PATH
  try {
    execFileSync(fileURLToPath(new URL('../../../scripts/provision', import.meta.url)), ['tests'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
  } catch (error) {
    const printed = (error as { stderr?: Buffer }).stderr ?? (error as Error).message
    throw new Error(
      `These tests need Chromium: run scripts/provision tests, or set CHROMIUM_PATH.\n${printed}`,
    )
  }
  if (existsSync(USUAL_PATH)) return USUAL_PATH
  throw new Error(`scripts/provision tests ran, and still there is no ${USUAL_PATH}; set CHROMIUM_PATH.`)
}

export interface Versions {
  readonly playwright: string
  /** The Chromium that this playwright-core was made for. */
  readonly madeFor: string
  /** The one that is installed. */
  readonly chromium: string
}

export async function versions(): Promise<Versions> {
  const folder = dirname(createRequire(import.meta.url).resolve('playwright-core/package.json'))
  const read = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'))
  const browsers: { name: string; browserVersion: string }[] = read('browsers.json').browsers
  const printed = execFileSync(chromiumPath(), ['--version'], { stdio: ['ignore', 'pipe', 'ignore'] })
  return {
    playwright: read('package.json').version,
    madeFor: browsers.find(({ name }) => name === 'chromium')?.browserVersion ?? 'unknown',
    chromium: /\d+(\.\d+)+/.exec(printed.toString())?.[0] ?? 'unknown',
  }
}

/** Why these two may not understand each other, with what to do, or undefined. */
export function misfit({ playwright, madeFor, chromium }: Versions): string | undefined {
  const apart = Math.abs(Number.parseInt(madeFor, 10) - Number.parseInt(chromium, 10))
  if (apart <= MAJORS_APART_MAX) return undefined
  return (
    `playwright-core ${playwright} is made for Chromium ${madeFor}, and Chromium ${chromium} is installed. ` +
    `Pin the playwright-core that is made for it in package.json, or set CHROMIUM_PATH to another Chromium.`
  )
}
