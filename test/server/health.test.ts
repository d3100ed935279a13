// Whether the server says how it is, and what it is.
import { expect, it } from 'vitest'
import { expectProblem, freshServer } from './world.js'

it('it lives, and is ready while its database is there with a schema it knows', async () => {
  const { call, store } = await freshServer()
  for (const path of ['/livez', '/readyz', '/healthz'])
    expect(await call('GET', path)).toMatchObject({ status: 200, body: { status: 'ok' } })
  await store.database.query(`insert into holdfast.migration values (999, 'later', holdfast.now(), '9.9.9')`)
  expectProblem(await call('GET', '/readyz'), 503, 'schema_ahead')
  expect((await call('GET', '/livez')).status).toBe(200)
  expect((await call('HEAD', '/livez')).status).toBe(200)
})

it('the contract is an OpenAPI 3.1 document in which every reference leads somewhere', async () => {
  const { call } = await freshServer()
  const { status, body, text } = await call('GET', '/openapi.json')
  expect(status).toBe(200)
  expect(body.openapi).toBe('3.1.0')
  expect(body.paths['/api/v1/jobs'].post).toMatchObject({ operationId: 'createJob' })
  expect(body.paths['/api/v1/jobs/{id}'].get.parameters).toMatchObject([
    { name: 'id', in: 'path', required: true, schema: { type: 'integer' } },
  ])
  for (const [, name] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g))
    expect(body.components.schemas, name).toHaveProperty(name as string)
  expect(text).not.toContain('$defs')
  // A program can read from it which scopes open an operation.
  expect(body.paths['/api/v1/jobs/{id}/cancel'].post.security).toEqual([
    { key: ['operate'] },
    { key: ['enqueue'] },
  ])
  expect(body.paths['/livez'].get.security).toEqual([])
})
