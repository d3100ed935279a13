// What is refused before any route is reached, and what no answer tells.
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { expectProblem, freshServer } from './world.js'

it('an address that is not there is 404, and a method it does not take 405 with Allow', async () => {
  const { call } = await freshServer()
  expectProblem(await call('GET', '/nowhere'), 404, 'unknown_route')
  expectProblem(await call('GET', '/api/v1/jobs/1/nowhere'), 404, 'unknown_route')
  const refused = await call('DELETE', '/api/v1/jobs')
  expectProblem(refused, 405, 'method_not_allowed')
  expect(refused.headers.allow).toBe('GET, POST')
  expectProblem(await call('PUT', '/healthz'), 405, 'method_not_allowed')
})

it('a body that is too large, of another type, not UTF-8 or not JSON is refused', async () => {
  const { app, call } = await freshServer({ limits: { bodyBytesMax: 1000 } })
  const large = await call('POST', '/api/v1/jobs', { body: `{"queue": "${'x'.repeat(1000)}"}` })
  expectProblem(large, 413, 'payload_too_large')
  expect(large.body.facts).toMatchObject({ limit: 'bodyBytesMax' })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  expectProblem(await call('POST', '/api/v1/jobs', { body: 'a=b', headers }), 415, 'unsupported_media_type')
  expectProblem(await call('POST', '/api/v1/jobs', { body: '{"queue": ' }), 400, 'invalid_input')
  expectProblem(await call('POST', '/api/v1/jobs', { body: '' }), 400, 'invalid_input')
  const broken = await app.inject({
    method: 'POST',
    url: '/api/v1/jobs',
    headers: { 'content-type': 'application/json' },
    payload: Buffer.from([0x22, 0xff, 0x22]),
  })
  expect(broken.json()).toMatchObject({ code: 'invalid_input', errors: [{ problem: 'must be UTF-8' }] })
})

it('parameters that an address does not know are refused', async () => {
  const { call } = await freshServer()
  const refused = await call('GET', '/api/v1/jobs?stat=queued')
  expectProblem(refused, 400, 'invalid_input')
  expect(refused.body.errors).toMatchObject([{ in: 'query', pointer: '/stat' }])
  expect(refused.body.errors[0].problem).toContain('Did you mean "state"?')
})

it('what goes wrong on our side is told by its code alone', async () => {
  const { call, store } = await freshServer()
  await store.database.script('drop view holdfast.jobs')
  const refused = await call('GET', '/api/v1/jobs/1')
  expectProblem(refused, 503, 'schema_missing')
  expect(refused.text).not.toMatch(/relation|select|holdfast\.jobs/)
})

it('what is not HTTP is answered with a problem, too', async () => {
  const { app } = await freshServer()
  await app.listen({ port: 0, host: '127.0.0.1' })
  const address = app.server.address() as { port: number }
  const answer = await new Promise<string>((resolve, reject) => {
    let heard = ''
    const socket = connect(address.port, '127.0.0.1', () => socket.write('GARBAGE\r\n\r\n'))
    socket.on('data', (part) => {
      heard += part
    })
    socket.on('end', () => resolve(heard))
    socket.on('error', reject)
  })
  expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\nContent-Type: application\/problem\+json/)
  expect(JSON.parse(answer.split('\r\n\r\n')[1] as string)).toMatchObject({ code: 'malformed_request' })
})

it('every answer tells browsers to keep nothing, guess nothing and run nothing', async () => {
  const { call } = await freshServer()
  for (const path of ['/healthz', '/docs', '/nowhere', '/api/v1/jobs']) {
    expect((await call('GET', path)).headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'x-request-id': expect.any(String),
    })
  }
})
