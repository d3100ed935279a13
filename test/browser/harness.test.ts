/** What the browser tests would notice: a page with every problem, and one without. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { expectAccessible } from '../support/browser/axe.js'
import { openPage } from '../support/browser/page.js'

const CSP = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:"

async function site(pages: Record<string, string>): Promise<string> {
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    const text = pages[path]
    const type = path.endsWith('.js') ? 'text/javascript' : 'text/html; charset=utf-8'
    response.writeHead(text === undefined ? 404 : 200, {
      'content-type': type,
      'content-security-policy': CSP,
    })
    response.end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const page = (body: string) =>
  `<!doctype html><html lang="en"><head><title>t</title><link rel="icon" href="data:,"></head><body><main><h1>t</h1>${body}</main></body></html>`

it('every problem of a page is noticed', async () => {
  const url = await site({
    '/': page('<script src="a.js"></script><p style="color: red">x</p><button onclick="alarm(1)">x</button>'),
    '/a.js':
      'console.error("oops"); fetch("gone"); alarm("data"); setTimeout(() => { throw new Error("late") })',
  })
  const { page: opened, problems } = await openPage()
  await opened.goto(url)
  const kinds = ['console: oops', 'response: GET', 'CSP: style-src-attr', 'CSP: script-src-attr', 'uncaught']
  const wanted = [...kinds, 'a script ran from data: data']
  await expect
    .poll(() => wanted.filter((kind) => !problems.left.some((each) => each.startsWith(kind))))
    .toEqual([])
  problems.expect(/./)
})

it('a page without problems has none, and one that few can read is found', async () => {
  const url = await site({ '/': page('<button>Retry</button>'), '/bad': page('<button></button>') })
  const { page: opened, problems } = await openPage()
  await opened.goto(url)
  await expectAccessible(opened)
  expect(problems.left).toEqual([])
  await opened.goto(`${url}/bad`)
  await expect(expectAccessible(opened)).rejects.toThrow('button-name')
})
