// The dashboard inside of other programs, behind their login: Fastify, Express, Hono and, by its signature, Next.
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import { type DashboardHandler, type DashboardOptions, dashboard, nodeListener } from 'holdfast/dashboard'
import type { Store } from 'holdfast/store'
import { expect, it, onTestFinished } from 'vitest'
import { isUnsafe } from '../../src/contract/endpoint.js'
import { defaultRoutes } from '../../src/server/app.js'
import { freshStore } from '../support/world.js'
import { NOBODYS, requestOf } from './samples.js'
import { Stream } from './sse.js'

const PREFIX = '/ops/jobs'
const ADA = { 'x-user': 'ada' }

function mounted(store: Store, options: DashboardOptions = {}): DashboardHandler {
  const handler = dashboard(
    { store },
    { basePath: PREFIX, actor: ({ headers }) => headers.get('x-user') ?? '', ...options },
  )
  onTestFinished(() => handler.close())
  return handler
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects to find
const bodyOf = async (answer: Response | Promise<Response>): Promise<any> => (await answer).json()

/** Without their types, which the tests do not need. */
// biome-ignore lint/suspicious/noExplicitAny: see above
const require: (name: string) => any = createRequire(import.meta.url)

async function listening(server: Server): Promise<string> {
  if (!server.listening) {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  }
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Each with a login of its own, which wants a user in a header, and with a page of its own beside the dashboard. */
const HOSTS: Record<string, (handler: DashboardHandler) => Promise<string>> = {
  Fastify: async (handler) => {
    const app = Fastify()
    app.addHook('onRequest', async (request, reply) => {
      if (request.headers['x-user'] === undefined) return reply.code(401).send('sign in')
    })
    app.get('/', async () => 'own page')
    await app.register(
      async (scope) => {
        // The dashboard reads bodies itself.
        scope.removeAllContentTypeParsers()
        scope.addContentTypeParser('*', (_request, _body, done) => done(null))
        scope.all('/*', (request, reply) => {
          reply.hijack()
          void nodeListener(handler)(request.raw, reply.raw)
        })
      },
      { prefix: PREFIX },
    )
    await app.listen({ port: 0, host: '127.0.0.1' })
    return listening(app.server)
  },
  Express: async (handler) => {
    const express = require('express')
    const app = express()
    type Asked = { headers: Record<string, string | undefined> }
    type Answer = { status(code: number): { send(text: string): void } }
    app.use(({ headers }: Asked, answer: Answer, next: () => void) =>
      headers['x-user'] === undefined ? answer.status(401).send('sign in') : next(),
    )
    app.get('/', (_asked: Asked, answer: Answer) => answer.status(200).send('own page'))
    app.use(PREFIX, nodeListener(handler))
    return listening(createServer(app))
  },
  'Express behind a body parser': async (handler) => {
    const express = require('express')
    const app = express()
    app.use(
      (
        asked: { headers: Record<string, string> },
        answer: { sendStatus(code: number): void },
        next: () => void,
      ) => (asked.headers['x-user'] === undefined ? answer.sendStatus(401) : next()),
    )
    app.use(express.json())
    app.get('/', (_asked: unknown, answer: { send(text: string): void }) => answer.send('own page'))
    app.use(PREFIX, nodeListener(handler))
    return listening(createServer(app))
  },
  Hono: async (handler) => {
    // It replaces these for the whole process, and files of one worker share it.
    const own = Object.getOwnPropertyDescriptors(globalThis)
    onTestFinished(() => {
      Object.defineProperties(globalThis, { Request: own.Request, Response: own.Response })
    })
    const { Hono } = require('hono')
    const { getRequestListener } = require('@hono/node-server')
    const app = new Hono()
    type Context = {
      req: { raw: Request; header(name: string): string | undefined }
      text(text: string, status?: number): Response
    }
    app.use(async (context: Context, next: () => Promise<void>) =>
      context.req.header('x-user') === undefined ? context.text('sign in', 401) : next(),
    )
    app.get('/', (context: Context) => context.text('own page'))
    app.all(`${PREFIX}/*`, ({ req }: Context) => handler(req.raw))
    return listening(createServer(getRequestListener(app.fetch)))
  },
}

it.each(Object.keys(HOSTS))(
  '%s serves page, files, calls and streams below a prefix, to those whom its login lets in',
  async (name) => {
    const store = await freshStore()
    const url = (await HOSTS[name]?.(mounted(store))) ?? ''
    const at = (path: string, init: RequestInit = {}) =>
      fetch(`${url}${path}`, { ...init, headers: { ...ADA, ...init.headers } })
    for (const path of [`${PREFIX}/`, `${PREFIX}/api/v1/jobs`])
      expect((await fetch(url + path)).status, path).toBe(401)
    expect(await (await at('/')).text()).toBe('own page')

    const page = await at(`${PREFIX}/?page=jobs`, { headers: { accept: 'text/html' } })
    const html = await page.text()
    expect([page.status, page.headers.get('content-security-policy')]).toEqual([
      200,
      expect.stringContaining("script-src 'self'"),
    ])
    expect(html).toContain(`<base href="${PREFIX}/">`)
    for (const [, file = ''] of html.matchAll(/"\.\/(assets\/[^"]+)"/g)) {
      const asset = await at(`${PREFIX}/${file}`)
      expect([asset.status, (await asset.text()).length > 0]).toEqual([200, true])
    }

    const session = await bodyOf(at(`${PREFIX}/api/v1/session`))
    expect(session).toMatchObject({
      signed_in: true,
      name: 'ada',
      tenant: '*',
      can_sign_out: false,
      open: false,
    })
    const stream = await (await Stream.open(url, { path: `${PREFIX}/api/v1/events`, headers: ADA })).settled()
    const post = (headers: Record<string, string>, input: unknown = 1) =>
      at(`${PREFIX}/api/v1/jobs`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ queue: 'q', kind: 'k', input }),
      })
    expect((await post({})).status).toBe(403)
    expect((await post({ 'x-csrf-token': session.csrf_token, origin: 'http://evil.example' })).status).toBe(
      403,
    )
    const made = await post({ 'x-csrf-token': session.csrf_token }, 'x'.repeat(50_000))
    expect(made.status).toBe(201)
    const { id } = (await made.json()) as { id: number }
    await stream.until(({ jobs }) => jobs.includes(id))
    stream.close()
    const job = await bodyOf(at(`${PREFIX}/api/v1/jobs/${id}`))
    expect(job).toMatchObject({ created_by: 'ada', input: 'x'.repeat(50_000) })
    const missing = await at(`${PREFIX}/api/v1/nothing`)
    expect([missing.status, missing.headers.get('content-type')]).toEqual([
      404,
      'application/problem+json; charset=utf-8',
    ])
  },
)

/** The signature of a handler in a `route.ts` of Next, as its documentation gives it. */
type NextRouteHandler = (
  request: Request,
  context: { params: Promise<Record<string, string | string[] | undefined>> },
) => Response | Promise<Response>

it('it is a route handler of Next', async () => {
  const handler = mounted(await freshStore())
  const route: Record<'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', NextRouteHandler> = {
    GET: handler,
    POST: handler,
    PUT: handler,
    PATCH: handler,
    DELETE: handler,
  }
  const context = { params: Promise.resolve({ path: ['api', 'v1', 'queues'] }) }
  const body = JSON.stringify({ name: 'mail' })
  const headers = { 'content-type': 'application/json', 'x-csrf-token': 'same-site' }
  const url = `https://app.example${PREFIX}/api/v1/queues`
  expect((await route.POST(new Request(url, { method: 'POST', headers, body }), context)).status).toBe(201)
  const listed = await route.GET(new Request(url), context)
  expect((await bodyOf(listed)).queues).toMatchObject([{ name: 'mail' }])
  const text = await route.GET(
    new Request(`https://app.example${PREFIX}`, { headers: { accept: '*/*' } }),
    context,
  )
  expect(await text.text()).toContain(`https://app.example${PREFIX}/status`)
})

it('it does what the host allows: one tenant, some scopes, or reading alone; no header of a caller changes that', async () => {
  const store = await freshStore()
  await store.enqueue({ queue: 'of-acme', kind: 'k' }, { tenant: 'acme' })
  await store.enqueue({ queue: 'of-bolt', kind: 'k' }, { tenant: 'bolt' })
  const { secret } = await store.keys.create({ name: 'root', scopes: ['admin'], tenant: '*' })
  const at = (
    handler: DashboardHandler,
    path: string,
    headers: Record<string, string> = {},
    init: RequestInit = {},
  ) =>
    handler(new Request(`http://app.example${PREFIX}${path}`, { ...init, headers: { ...ADA, ...headers } }))
  const acme = mounted(store, { tenant: 'acme', scopes: ['read'] })
  const root = {
    authorization: `Bearer ${secret}`,
    'x-forwarded-prefix': '/evil',
    cookie: 'holdfast_session=x',
  }
  expect((await bodyOf(at(acme, '/api/v1/jobs', root))).jobs).toMatchObject([{ queue: 'of-acme' }])
  expect((await at(acme, '/api/v1/jobs', { ...root, 'holdfast-tenant': 'bolt' })).status).toBe(403)
  expect((await at(acme, '/api/v1/keys', root)).status).toBe(403)
  expect(await (await at(acme, '/', { accept: 'text/html', ...root })).text()).toContain(
    `<base href="${PREFIX}/">`,
  )
  const readOnly = mounted(store, { readOnly: true })
  for (const route of defaultRoutes().filter(
    ({ endpoint }) => isUnsafe(endpoint) && endpoint.scope !== null,
  )) {
    const { url, body } = requestOf(route, NOBODYS)
    const headers = {
      'x-csrf-token': 'same-site',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    }
    const { method } = route.endpoint
    const sent = { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    expect(await (await at(readOnly, url, headers, sent)).json(), route.name).toMatchObject({
      code: 'read_only',
    })
  }
  expect((await at(readOnly, '/api/v1/keys')).status).toBe(200)
  expect(() => dashboard({ store }, { basePth: '/x' } as object)).toThrow('basePath')
  expect(() => dashboard({ store }, { tenant: 'a b' })).toThrow('tenant')
})

it('a caller that goes away ends its stream, and closing ends all of them', async () => {
  const handler = mounted(await freshStore())
  const open = async (signal?: AbortSignal) => {
    const url = `http://app.example${PREFIX}/api/v1/events`
    const response = await handler(new Request(url, signal === undefined ? {} : { signal }))
    if (response.body === null) throw new Error('no stream')
    return response.body.getReader()
  }
  const gone = new AbortController()
  const first = await open(gone.signal)
  await first.read()
  gone.abort()
  await expect(
    (async () => {
      while (!(await first.read()).done);
    })(),
  ).rejects.toThrow()
  const second = await open()
  await second.read()
  const closed = handler.close()
  let text = ''
  for (let read = await second.read(); !read.done; read = await second.read())
    text += Buffer.from(read.value).toString()
  expect(text).toContain('"reason":"stopping"')
  await closed
})
