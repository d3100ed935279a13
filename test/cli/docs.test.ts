// `holdfast docs`: the handler of the site, on a folder of the test.
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { sendFile, siteFiles } from '../../src/cli/server/docs.js'
import { emptyFolder, holdfast } from './run-holdfast.js'

async function site() {
  const above = emptyFolder()
  const folder = join(above, 'site')
  mkdirSync(join(folder, 'assets'), { recursive: true })
  mkdirSync(join(folder, 'presets'))
  writeFileSync(join(above, 'secret.txt'), 'secret')
  writeFileSync(join(folder, 'index.html'), 'home')
  writeFileSync(join(folder, '404.html'), 'no such page')
  writeFileSync(join(folder, 'presets.html'), 'presets')
  writeFileSync(join(folder, 'presets', 'index.html'), 'inside')
  writeFileSync(join(folder, 'assets', 'app.js'), 'code')
  writeFileSync(join(folder, 'llms.txt'), 'text')
  const files = siteFiles(folder)
  const server = createServer((asked, response) => sendFile(files, folder, asked, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  /** Without fetch, which would resolve the dots of a path itself. */
  return async (path: string, method = 'GET') => {
    const asked = request({ host: '127.0.0.1', port, path, method, agent: false }).end()
    const [response] = await once(asked, 'response')
    let body = ''
    for await (const part of response) body += part
    return { status: response.statusCode, type: response.headers['content-type'], body }
  }
}

it('sends pages, scripts and text with their types, with and without the ending', async () => {
  const get = await site()
  const html = 'text/html; charset=utf-8'
  expect(await get('/')).toEqual({ status: 200, type: html, body: 'home' })
  expect(await get('/presets?x=1')).toEqual({ status: 200, type: html, body: 'presets' })
  expect(await get('/presets/')).toEqual({ status: 200, type: html, body: 'inside' })
  expect(await get('/assets/app.js')).toMatchObject({ type: 'text/javascript; charset=utf-8', body: 'code' })
  expect(await get('/llms.txt')).toMatchObject({ type: 'text/plain; charset=utf-8', body: 'text' })
  expect(await get('/', 'HEAD')).toEqual({ status: 200, type: html, body: '' })
  expect(await get('/', 'POST')).toMatchObject({ status: 405 })
})

it.each(['/../secret.txt', '/%2e%2e/secret.txt', '/assets/..%2f..%2fsecret.txt', '//etc/passwd', '/%zz'])(
  'answers %s with 404: no path leaves the folder',
  async (path) => {
    const get = await site()
    expect(await get(path)).toMatchObject({ status: 404, body: 'no such page' })
  },
)

it('a folder that is not there has no files, and a port must be a number', async () => {
  expect(siteFiles(join(emptyFolder(), 'none')).size).toBe(0)
  const { code, stderr } = await holdfast(['docs', '--port', 'http'])
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('from 0 to 65535') })
})
