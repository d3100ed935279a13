// The page of the dashboard and its files: where it is mounted, what it may load, how it is cached.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ServerOptions } from 'holdfast/server'
import { expect, it, onTestFinished } from 'vitest'
import { codingFor, readBundle } from '../../src/server/dashboard/bundle.js'
import { dashboardPage } from '../../src/server/dashboard/page.js'
import { serve } from '../support/http.js'
import { freshStore } from '../support/world.js'
import { expectProblem, freshServer, serverOn } from './world.js'

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'"

it('a browser gets the page, with nothing inline, and each file that it names, cached for good', async () => {
  const { call } = await serve(await freshStore())
  const page = await call('GET', '/?page=jobs&q=state%3Afailed', undefined, BROWSER)
  expect(page.status).toBe(200)
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(page.headers.get('content-security-policy')).toBe(CSP)
  expect(page.headers.get('cache-control')).toBe('no-store')
  expect(page.body).toContain('<base href="/">')
  expect(page.body).toMatch(/<noscript>.*href="status"/s)
  expect(page.body).not.toMatch(/<script>|<style|style=|\son\w+=|(?:src|href)="https?:/)
  for (const [, file = ''] of page.body.matchAll(/"(?:\.\/)?(assets\/[^"]+)"/g)) {
    const asset = await call('GET', `/${file}`)
    expect([asset.status, asset.headers.get('cache-control')]).toEqual([
      200,
      'public, max-age=31536000, immutable',
    ])
    expect(asset.headers.get('vary')).toBe('accept-encoding')
  }
})

it('a caller that takes no HTML reads where the page without scripts is', async () => {
  const { call, url } = await serve(await freshStore(), { basePath: '/ops/jobs' })
  const { body, headers } = await call('GET', '/ops/jobs/', undefined, { accept: '*/*' })
  expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(body).toContain(`${url}/ops/jobs/status`)
  expect(headers.get('link')).toContain('</ops/jobs/status>; rel="alternate"')
  expect((await call('GET', '/ops/jobs/status')).body).toContain('No queues yet')
})

it('mounted below a path it answers with the prefix and, behind a proxy that removes it, without', async () => {
  const store = await freshStore()
  for (const basePath of ['ops/jobs', '/ops/jobs/']) {
    const { call } = serverOn(store, { basePath })
    for (const path of ['/ops/jobs', '/ops/jobs/', '/ops/jobs?page=jobs', '/', '/?page=jobs'])
      expect((await call('GET', path, { headers: BROWSER })).text, path).toContain('<base href="/ops/jobs/">')
    for (const path of ['/ops/jobs/api/v1/jobs', '/api/v1/jobs'])
      expect((await call('GET', path)).body.jobs, path).toEqual([])
    for (const path of ['/ops/jobsapi/v1/jobs', '/ops/api/v1/jobs', '/ops/jobs/ops/jobs/api/v1/jobs'])
      expectProblem(await call('GET', path), 404, 'unknown_route')
  }
})

it('the prefix that a proxy reports counts only where the proxy is trusted, and only if it is a path', async () => {
  const store = await freshStore()
  const page = (options: ServerOptions) => {
    const { call } = serverOn(store, options)
    return async (prefix = '/ops/jobs') =>
      (await call('GET', '/', { headers: { ...BROWSER, 'x-forwarded-prefix': prefix } })).text
  }
  expect(await page({})()).toContain('<base href="/">')
  expect(await page({ trustProxy: true, basePath: '/mine' })()).toContain('<base href="/mine/">')
  const trusting = page({ trustProxy: true })
  expect(await trusting()).toContain('<base href="/ops/jobs/">')
  // Two slashes would be another host.
  expect(await trusting('//evil.example/x')).toContain('<base href="/evil.example/x/">')
  for (const wrong of ['/a"><script>', '/../x', '/a b', `/${'x'.repeat(300)}`, 'https://evil.example'])
    expect(await trusting(wrong)).toContain('<base href="/">')
  for (const basePath of ['/a b', '/"', '/..', 'https://x.example/'])
    expect(() => serverOn(store, { basePath })).toThrow('must be a path like /ops/jobs')
})

it('no name reaches a file that is not a built one', async () => {
  const { call } = await freshServer()
  for (const file of ['none.js', '..%2findex.html', '..%2f..%2fpackage.json', 'x%00.js', 'notes.txt'])
    expect((await call('GET', `/assets/${file}`)).status, file).toBeGreaterThanOrEqual(400)
})

it('the bundle has the compressed forms of each file, and a caller gets the smallest it accepts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bundle-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'assets'))
  for (const [name, text] of [
    ['index.html', '<html><head></head><body></body></html>'],
    ['assets/a-1.js', 'plain'],
    ['assets/a-1.js.br', 'br'],
    ['assets/a-1.js.gz', 'gz'],
    ['assets/b-2.css', 'plain'],
    ['assets/notes.txt', 'not served'],
    ['secret.js', 'not served'],
  ] as const)
    writeFileSync(join(folder, name), text)
  const { index, assets } = readBundle(folder)
  expect([...assets.keys()].sort()).toEqual(['a-1.js', 'b-2.css'])
  expect(dashboardPage(index, '/x/')).toContain('<head><base href="/x/"></head>')
  const script = assets.get('a-1.js')
  const style = assets.get('b-2.css')
  if (script === undefined || style === undefined) throw new Error('the files are not there')
  expect(
    ['gzip, deflate, br', 'gzip', 'br;q=0, gzip;q=0.5', '', 'identity'].map((accepted) =>
      codingFor(script, accepted),
    ),
  ).toEqual(['br', 'gzip', 'gzip', 'identity', 'identity'])
  expect(codingFor(style, 'br, gzip')).toBe('identity')
  expect(readBundle(join(folder, 'none'))).toEqual({ index: undefined, assets: new Map() })
})
