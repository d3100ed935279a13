// The documentation site as built: links, pictures and anchors exist, nothing comes from other hosts, search finds.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { promisify } from 'node:util'
import { chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { addressOf, root, sitePages } from '../../docs/.vitepress/pages.js'
import { sendFile, siteFiles } from '../../src/cli/server/docs.js'

const folder = mkdtempSync(join(tmpdir(), 'holdfast-site-'))
let files: ReadonlySet<string> = new Set()
const read = (file: string) => readFileSync(join(folder, file), 'utf8')
const pages = () => [...files].filter((file) => file.endsWith('.html') && file !== '404.html')

beforeAll(async () => {
  const script = join(root, 'scripts', 'build-docs.js')
  // vitest sets NODE_ENV=test, with which the bundler would build for development.
  const env = { ...process.env, NODE_ENV: 'production' }
  await promisify(execFile)(process.execPath, [script, '--out', folder], { cwd: root, env })
  files = siteFiles(folder)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The addresses in the attributes of a page. */
const addressesIn = (html: string, attributes: string) =>
  [...html.matchAll(new RegExp(`\\s(?:${attributes})="([^"]+)"`, 'g'))].map(([, address = '']) =>
    address.replaceAll('&amp;', '&'),
  )

it('has every page, the search index, and the texts for agents', () => {
  const built = new Set(pages())
  const expected = sitePages().map((page) => addressOf(page).replace(/\.md$/, '.html'))
  expect(expected.filter((page) => !built.has(page))).toEqual([])
  expect([...files].some((file) => /^assets\/chunks\/@localSearchIndex.*\.js$/.test(file))).toBe(true)
  expect(read('llms.txt')).toContain('(library.html)')
  expect(read('llms-full.txt').length).toBeGreaterThan(100_000)
})

it('links only to pages, headings and files that exist', () => {
  const ids = new Map(pages().map((page) => [page, new Set(addressesIn(read(page), 'id'))]))
  const broken = pages().flatMap((page) =>
    addressesIn(read(page), 'href|src|srcset')
      .filter((address) => !/^([a-z]+:|\/\/)/.test(address))
      .filter((address) => {
        const [path = '', anchor = ''] = decodeURI(address).split('#')
        const target = path === '' ? page : posix.resolve('/', posix.dirname(page), path).slice(1)
        const found = [target, posix.join(target, 'index.html')].find((each) => files.has(each))
        return found === undefined || (anchor !== '' && ids.get(found)?.has(anchor) === false)
      })
      .map((address) => `${page}: ${address}`),
  )
  expect(broken).toEqual([])
})

it('reaches every page from the sidebar', () => {
  const sidebar = /<aside class="VPSidebar[\s\S]*?<\/aside>/.exec(read('cli.html'))?.[0] ?? ''
  const linked = addressesIn(sidebar, 'href').map((address) =>
    address.slice(1).replace(/(^|\/)$/, '$1index.html'),
  )
  expect(pages().filter((page) => page !== 'index.html' && !linked.includes(page))).toEqual([])
})

it('loads nothing from other hosts, reports no error, and finds a page by search', async () => {
  const server = createServer((request, response) => sendFile(files, folder, request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  })
  onTestFinished(async () => {
    await browser.close()
    server.close()
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const page = await browser.newPage({ viewport: { width: 375, height: 800 } })
  const problems: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) problems.push(request.url())
  })
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('response', (response) => {
    if (response.status() >= 400) problems.push(`${response.status()} ${response.url()}`)
  })
  for (const path of ['/', '/dashboard.html', '/errors.html']) {
    await page.goto(`${origin}${path}`, { waitUntil: 'networkidle' })
    expect(await page.evaluate('document.documentElement.scrollWidth'), path).toBe(375)
  }
  await page.keyboard.press('Control+k')
  await page.fill('.VPLocalSearchBox input', 'lease')
  await page.waitForSelector('.VPLocalSearchBox .result')
  expect(problems).toEqual([])
})
