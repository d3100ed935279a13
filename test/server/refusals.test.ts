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
  expect(refused.body.detail).toMatch(
    /^This route does not support the method DELETE; it supports GET, POST\./,
  )
  expectProblem(await call('PUT', '/healthz'), 405, 'method_not_allowed')
})

it('an address with a slip in it is told what was probably meant', async () => {
  const { call } = await freshServer()
  for (const [path, meant] of [
    ['/api/v1/job', '/api/v1/jobs'],
    ['/api/v1/queues/mail/', '/api/v1/queues/mail'],
    ['/jobs', '/api/v1/jobs'],
    ['/api/job/7/explian', '/api/v1/jobs/7/explain'],
    ['/doc', '/docs'],
  ] as const) {
    const { body } = await call('GET', path)
    expect(body.detail).toContain(`Did you mean ${meant}?`)
    expect(body.data).toEqual({ nearest: meant })
  }
})

it('an address that is like no other is told nothing of the sort', async () => {
  const { call } = await freshServer()
  for (const path of ['/api/v1/whatever', '/favicon.ico', '/wp-login.php', `/${'x'.repeat(5_000)}`])
    expect((await call('GET', path)).body).not.toHaveProperty('data')
})

it('a body that is too large, of another type, not UTF-8 or not JSON is refused', async () => {
  const { app, call } = await freshServer({ limits: { bodyBytesMax: 1000 } })
  const large = await call('POST', '/api/v1/jobs', { body: `{"queue": "${'x'.repeat(1000)}"}` })
  expectProblem(large, 413, 'payload_too_large')
  expect(large.body).toMatchObject({
    data: { limit: 'bodyBytesMax', max: 1000 },
    errors: [{ in: 'body', pointer: '/' }],
  })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const form = await call('POST', '/api/v1/jobs', { body: 'a=b', headers })
  expectProblem(form, 415, 'unsupported_media_type')
  expect(form.body.detail).toContain('its type is application/x-www-form-urlencoded')
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

it('of a body that is no JSON it is told where, and nothing of what stands there', async () => {
  const { call } = await freshServer()
  for (const [body, problem] of [
    ['{"queue": "q",}', 'unexpected character in line 1, column 15'],
    ['{"queue": "q"\n "kind": "k"}', 'unexpected character in line 2, column 2'],
    ['{"queue": "q"', 'the text ends too early'],
    ['{"queue": ', 'the text ends too early'],
    ['{"queue": }', 'unexpected character }'],
    ["'{}'", "unexpected character '"],
    ['{"secret": hunter2}', 'unexpected character h'],
  ]) {
    const refused = await call('POST', '/api/v1/jobs', { body })
    expectProblem(refused, 400, 'invalid_input')
    expect(refused.body.errors).toEqual([{ in: 'body', pointer: '/', problem: `must be JSON; ${problem}` }])
    expect(refused.text).not.toContain('hunter2')
  }
})

const A_JOB = { queue: 'q', kind: 'k' }

/** What is sent as a job, where the answer points to, and what it says of it. */
const WRONG_JOBS: [body: object | undefined, pointer: string, problem: string][] = [
  [{ kind: 'k' }, '/queue', 'is required'],
  [{ ...A_JOB, priority: '5' }, '/priority', 'must be a number, not text'],
  [{ ...A_JOB, priority: 1.5 }, '/priority', 'must be a whole number'],
  [{ ...A_JOB, priority: 101 }, '/priority', 'must be at most 100'],
  [{ ...A_JOB, priority: -1 }, '/priority', 'must be at least 0'],
  [{ ...A_JOB, labels: ['a'] }, '/labels', 'must be an object, not a list'],
  [{ queue: '', kind: 'k' }, '/queue', 'must not be empty'],
  [{ ...A_JOB, run_at: 'soon' }, '/run_at', 'must be a time with its zone, such as 2026-01-31T12:00:00Z'],
  [[A_JOB], '/', 'must be an object, not a list'],
  [undefined, '/', 'a JSON body is required'],
]

const WRONG_CALLS: [method: string, path: string, body: object | undefined, error: object][] = [
  ...WRONG_JOBS.map(([body, pointer, problem]): (typeof WRONG_CALLS)[number] => [
    'POST',
    '/api/v1/jobs',
    body,
    { in: 'body', pointer, problem },
  ]),
  [
    'POST',
    '/api/v1/jobs/batch',
    { jobs: [{ ...A_JOB, priorty: 3 }] },
    {
      in: 'body',
      pointer: '/jobs/0/priorty',
      problem: 'the field "priorty" is unknown. Did you mean "priority"?',
    },
  ],
  [
    'POST',
    '/api/v1/queues',
    { name: 'q', policy: { maxRetries: 3 } },
    {
      in: 'body',
      pointer: '/policy/maxRetries',
      problem: 'the field "maxRetries" is unknown. Did you mean "max_retries"?',
    },
  ],
  [
    'GET',
    '/api/v1/jobs/abc',
    undefined,
    { in: 'path', pointer: '/id', problem: 'must be a number, not text' },
  ],
  ['GET', '/api/v1/jobs/', undefined, { in: 'path', pointer: '/id', problem: 'is missing in the path' }],
  [
    'GET',
    '/api/v1/jobs?page_size=501',
    undefined,
    { in: 'query', pointer: '/page_size', problem: 'must be at most 500' },
  ],
  ...['jobs', 'items', 'keys', 'audit', 'schedules', 'subjects', 'alerts', 'webhooks', 'tenants'].map(
    (list): (typeof WRONG_CALLS)[number] => [
      'GET',
      `/api/v1/${list}?page_token=x${list === 'items' ? '&queue=q' : ''}`,
      undefined,
      { in: 'query', pointer: '/page_token', problem: 'is not a page_token of this list' },
    ],
  ),
]

it('what does not fit is told in words, with the part of the request and the place in it', async () => {
  const { call } = await freshServer()
  await call('POST', '/api/v1/jobs', { body: A_JOB })
  for (const [method, path, body, error] of WRONG_CALLS) {
    const refused = await call(method, path, body === undefined ? {} : { body })
    expectProblem(refused, 400, 'invalid_input')
    expect(refused.body.errors, `${method} ${path}`).toContainEqual(error)
  }
})

it('a word that is none of those allowed is told which are, and the nearest', async () => {
  const { call } = await freshServer()
  const { body } = await call('GET', '/api/v1/jobs?state=quued')
  expect(body.errors[0].problem).toMatch(/^must be one of .*running.*\. Did you mean "queued"\?$/)
})

it('a state word of a preset in place of a state is answered with the states it stands for', async () => {
  const { call } = await freshServer()
  const problem = async (word: string) =>
    (await call('GET', `/api/v1/jobs?state=${word}`)).body.errors[0].problem
  expect(await problem('failed_retryable')).toMatch(
    / "failed_retryable" is a state word of pipeline, for pending, .*retrying.*\.$/,
  )
  expect(await problem('processing')).toMatch(
    / "processing" is a state word of harvest, for assigned, running; of pipeline, for assigned, running\.$/,
  )
})

it('a field that is like no other is told which there are', async () => {
  const { call } = await freshServer()
  const { body } = await call('POST', '/api/v1/jobs', { body: { ...A_JOB, payload: 1, maxRetries: 3 } })
  expect(body.errors[0].problem).toMatch(
    /^the field "payload" is unknown\. Remove it, or use one of: queue, preset, kind, input, /,
  )
  expect(body.errors[1]).toMatchObject({ pointer: '/maxRetries' })
  const only = await call('POST', '/api/v1/jobs', { body: { ...A_JOB, maxRetries: 3 } })
  expect(only.body.detail).toContain(
    'not valid at /maxRetries: the field "maxRetries" is unknown. Did you mean "max_retries"?',
  )
})

it('a tenant that is no name is told of as the header it came in', async () => {
  const { call } = await freshServer()
  const refused = await call('GET', '/api/v1/jobs', { headers: { 'holdfast-tenant': 'a b' } })
  expect(refused.body.errors).toMatchObject([{ in: 'header', pointer: '/holdfast-tenant' }])
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
  await store.database.script('drop view holdfast.jobs cascade')
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
