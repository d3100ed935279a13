// The contract as pages for people: complete, true, and nothing in them runs or comes from elsewhere.
import { expect, it } from 'vitest'
import { ERRORS } from '../../src/domain/errors/errors.js'
import { defaultRoutes } from '../../src/server/app.js'
import { openApiDocument } from '../../src/server/http/openapi.js'
import { type ApiDocument, docsBody, docsPage, problemsPage } from '../../src/server/pages/docs.js'
import { curlOf, exampleOf } from '../../src/server/pages/example.js'
import { freshServer } from './world.js'

const ROUTES = defaultRoutes()

/** Served also with a slash at its end, and shown once. */
const SHOWN = ROUTES.filter(({ endpoint }) => endpoint.path === '/' || !endpoint.path.endsWith('/'))
const document = openApiDocument(ROUTES) as unknown as ApiDocument
const docs = docsPage(docsBody(ROUTES, document), document, 'http://localhost:8080')
const problems = problemsPage()

const idsIn = (text: string) => [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id as string)

it('every operation has a part of its own, with its address, what it takes to call it and how', () => {
  const parts = docs.split('<details class="op">')
  for (const { name, endpoint } of SHOWN) {
    const part = parts.find((each) => each.includes(`<div id="${name}"`))
    expect(part, name).toContain(`>${endpoint.method}</span><code>${endpoint.path}</code>`)
    expect(part, name).toContain(`${endpoint.path.split('{', 1)[0]}`)
    if (endpoint.scope === null) expect(part).toContain('Needs no key.')
    else for (const scope of [endpoint.scope].flat()) expect(part, name).toContain(`calm">${scope}</span>`)
    expect(part?.includes(', for all tenants.'), name).toBe(endpoint.everyTenant ?? false)
    for (const parameter of Object.keys(endpoint.query?.shape ?? {}))
      expect(part, name).toContain(`<code>${parameter}</code>`)
    for (const code of endpoint.errors) expect(part, name).toContain(`docs/problems#${code}"`)
  }
})

it('the example of every operation is a call that its contract takes', () => {
  for (const { name, endpoint } of SHOWN) {
    const operation = document.paths[endpoint.path]?.[endpoint.method.toLowerCase()]
    expect(operation, name).toBeDefined()
    const { parameters = [], requestBody } = operation ?? {}
    const schema = requestBody?.content['application/json']?.schema
    const example = exampleOf(endpoint, parameters, schema, document.components.schemas)
    const params = Object.entries(example.params).map(([key, value]) => [key, String(value)])
    const parse = (part: 'params' | 'query' | 'body', value: unknown) =>
      endpoint[part]?.safeParse(value).error
    expect(parse('params', Object.fromEntries(params)), name).toBeUndefined()
    expect(parse('query', example.query), name).toBeUndefined()
    expect(parse('body', example.body), name).toBeUndefined()
    const curl = curlOf(endpoint, example)
    expect(curl.split('\n', 1)[0]).not.toMatch(/[{}]|undefined/)
    expect(curl.includes('$HOLDFAST_KEY')).toBe(endpoint.scope !== null)
  }
})

it('every link of the pages leads somewhere, and no two parts have the same address', () => {
  const ids = idsIn(docs)
  expect(new Set(ids).size).toBe(ids.length)
  for (const [, id = ''] of docs.matchAll(/ href="#([^"]*)"/g)) expect(ids).toContain(id)
  const codes = idsIn(problems)
  for (const [, code = ''] of docs.matchAll(/ href="docs\/problems#([^"]*)"/g)) expect(codes).toContain(code)
  expect(codes).toEqual(expect.arrayContaining(Object.keys(ERRORS)))
})

it('every group has a name and a description of its own', () => {
  for (const { name, description } of document.tags) {
    expect(name).toMatch(/^[a-z]+$/)
    expect(description).not.toBe(name)
    expect(docs).toContain(`id="group-${name}"`)
  }
})

it('they need no script, no inline style and nothing from elsewhere, and are light and dark', async () => {
  for (const text of [docs, problems]) {
    expect(text).not.toMatch(/<script|style=|\son\w+=|(?:src|href|action)="(?:https?:)?\/\//)
    // Every bracket left is one of ours.
    expect(text.replace(/<[a-z!/][^<>]*>/g, '')).not.toMatch(/[<>]/)
  }
  const { call } = await freshServer()
  for (const path of ['/docs', '/docs/problems'])
    expect((await call('GET', path)).headers['content-type']).toBe('text/html; charset=utf-8')
  const style = await call('GET', '/docs/style.css')
  expect(style.headers['content-type']).toBe('text/css; charset=utf-8')
  expect(style.text).toContain('prefers-color-scheme: dark')
  expect(style.text).not.toMatch(/url\(|@import/)
  // The line to begin with names the server as it was called, whatever it was called.
  const { text } = await call('GET', '/docs', { headers: { host: 'jobs.example:8080' } })
  expect(text).toContain('export HOLDFAST_SERVER=http://jobs.example:8080\n')
  const evil = await call('GET', '/docs', { headers: { host: '"><script>alert(1)</script>' } })
  expect(evil.text).not.toContain('<script')
})
