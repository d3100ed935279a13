// Making jobs over HTTP, and looking at them.
import { beforeEach, expect, it } from 'vitest'
import { expectProblem, freshServer, type ServerWorld } from './world.js'

let world: ServerWorld
beforeEach(async () => {
  world = await freshServer()
})

const make = (body: object, headers = {}) => world.call('POST', '/api/v1/jobs', { body, headers })

it('a job that was made is shown with all its fields, under the names of the contract', async () => {
  const made = await make({
    queue: 'mail',
    kind: 'welcome',
    input: { to: 'ada', nested: { camelCase: 1 } },
    key: 'k1',
    target: 'ada',
    priority: 60,
    max_attempts: 3,
    labels: { team: 'blue' },
  })
  expect(made).toMatchObject({ status: 201, body: { id: 1, deduplicated: false } })
  const { status, body } = await world.call('GET', '/api/v1/jobs/1')
  expect(status).toBe(200)
  expect(body).toMatchObject({
    id: 1,
    queue: 'mail',
    kind: 'welcome',
    state: 'queued',
    input: { to: 'ada', nested: { camelCase: 1 } },
    key: 'k1',
    target: 'ada',
    priority: 60,
    max_retries: 2,
    labels: { team: 'blue' },
    created_by: 'system',
    finished_at: null,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
  })
})

it('a duplicate is no error: 200 with the job that lives', async () => {
  await make({ queue: 'mail', kind: 'k', key: 'once' })
  expect(await make({ queue: 'mail', kind: 'k', key: 'once' })).toMatchObject({
    status: 200,
    body: { id: 1, deduplicated: true },
  })
})

it('many jobs are made together, or none of them', async () => {
  const jobs = [1, 2, 3].map((n) => ({ queue: 'mail', kind: 'k', input: n }))
  const made = await world.call('POST', '/api/v1/jobs/batch', { body: { jobs } })
  expect(made).toMatchObject({ status: 201, body: { jobs: [{ id: 1 }, { id: 2 }, { id: 3 }] } })
  const refused = await world.call('POST', '/api/v1/jobs/batch', {
    body: { jobs: [...jobs, { queue: 'mail', kind: 'k', input: { deep: '\0' } }] },
  })
  expectProblem(refused, 400, 'invalid_input')
  expect(refused.body.errors).toMatchObject([{ in: 'body', pointer: '/jobs/3/input/deep' }])
  expect((await world.call('GET', '/api/v1/jobs')).body.jobs).toHaveLength(3)
})

it('an Idempotency-Key makes the same request again answer the same, and refuses another body', async () => {
  const headers = { 'idempotency-key': 'order-7' }
  const job = { queue: 'mail', kind: 'k', input: { order: 7 } }
  expect(await make(job, headers)).toMatchObject({ status: 201, body: { id: 1 } })
  expect(await make(job, headers)).toMatchObject({ status: 201, body: { id: 1, deduplicated: false } })
  expectProblem(await make({ ...job, input: { order: 8 } }, headers), 422, 'idempotency_mismatch')
  const other = await make(job, { 'idempotency-key': 'order-8' })
  expect(other.status).toBe(201)
  expect(other.body.id).toBeGreaterThan(1)
})

it('while the first request of an Idempotency-Key is under way, a second is told to come back', async () => {
  const job = { queue: 'mail', kind: 'k' }
  const headers = { 'idempotency-key': 'order-9' }
  const { database } = world.store
  let first: ReturnType<typeof make> | undefined
  await database
    .transaction(async (session) => {
      // The key is held by a transaction that is not over yet, so the first request waits for it.
      await session.query(
        `insert into holdfast.idempotency (tenant, key, created_at) values ('default', 'order-9', holdfast.now())`,
      )
      first = make(job, headers)
      await expect
        .poll(() =>
          database.query(
            `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%enqueue_many%'`,
          ),
        )
        .toHaveLength(1)
      const second = await make(job, headers)
      expectProblem(second, 409, 'idempotency_in_flight')
      expect(second.headers['retry-after']).toBe('1')
      throw new Error('rolled back')
    })
    .catch(() => {})
  const made = await first
  expect(made).toMatchObject({ status: 201, body: { deduplicated: false } })
  expect(await make(job, headers)).toMatchObject({ status: 201, body: { id: made?.body.id } })
})

it('a list goes on from its token, newest first, and ends', async () => {
  for (let n = 0; n < 5; n++) await make({ queue: n % 2 ? 'odd' : 'even', kind: 'k' })
  const ids: number[] = []
  let token: string | null = ''
  while (token !== null) {
    const page = await world.call('GET', `/api/v1/jobs?page_size=2${token && `&page_token=${token}`}`)
    expect(page.status).toBe(200)
    expect(page.body.jobs.length).toBeLessThanOrEqual(2)
    ids.push(...page.body.jobs.map((job: { id: number }) => job.id))
    token = page.body.next_page_token
  }
  expect(ids).toEqual([5, 4, 3, 2, 1])
  const odd = await world.call('GET', '/api/v1/jobs?queue=odd')
  expect(odd.body.jobs.map((job: { id: number }) => job.id)).toEqual([4, 2])
  expectProblem(await world.call('GET', '/api/v1/jobs?page_token=nonsense'), 400, 'invalid_input')
  expectProblem(await world.call('GET', '/api/v1/jobs?queue=nowhere'), 404, 'unknown_queue')
})

it('each field that does not fit is refused with its place', async () => {
  const cases: [string, object, string][] = [
    ['no queue', { kind: 'k' }, '/queue'],
    ['a field that does not exist', { queue: 'q', kind: 'k', priorty: 3 }, '/priorty'],
    ['a priority of 101', { queue: 'q', kind: 'k', priority: 101 }, '/priority'],
    ['a priority that is text', { queue: 'q', kind: 'k', priority: '5' }, '/priority'],
    ['a name with a space', { queue: 'q q', kind: 'k' }, '/queue'],
    ['a NUL in a key', { queue: 'q', kind: 'k', key: 'a\0b' }, '/key'],
    ['half a surrogate pair in the input', { queue: 'q', kind: 'k', input: ['\ud800'] }, '/input/0'],
    ['a time without a zone', { queue: 'q', kind: 'k', run_at: '2030-01-01T00:00:00' }, '/run_at'],
    ['a negative delay', { queue: 'q', kind: 'k', delay_ms: -1 }, '/delay_ms'],
    ['1001 retries', { queue: 'q', kind: 'k', max_retries: 1001 }, '/max_retries'],
  ]
  for (const [what, body, pointer] of cases) {
    const refused = await make(body)
    expectProblem(refused, 400, 'invalid_input')
    expect(refused.body.errors, what).toContainEqual({ in: 'body', pointer, problem: expect.any(String) })
  }
})

it('the key __proto__, numbers that JSON cannot hold or would change, and 65 levels are refused with the place', async () => {
  const send = (input: string) =>
    world.call('POST', '/api/v1/jobs', { body: `{"queue": "q", "kind": "k", "input": ${input}}` })
  const proto = await send('{"a": {"__proto__": {"admin": true}}}')
  expectProblem(proto, 400, 'invalid_input')
  expect(proto.body.errors[0].pointer).toBe('/input/a/__proto__')
  for (const body of [
    '{"__proto__": {"admin": true}, "queue": "q", "kind": "k"}',
    '{"queue": "q", "kind": "k", "labels": {"__proto__": "x"}}',
  ])
    expectProblem(await world.call('POST', '/api/v1/jobs', { body }), 400, 'invalid_input')
  const changed = await send(
    '{"ok": 9007199254740991, "text": "12345678901234567890", "float": 1.2345678901234567, "id": [12345678901234567890]}',
  )
  expectProblem(changed, 400, 'invalid_input')
  expect(changed.body.errors[0].pointer).toBe('/input/id/0')
  expect((await send('[9007199254740991, -9007199254740991, 1e20, 18014398509481984]')).status).toBe(201)
  const huge = await send('[1e999]')
  expectProblem(huge, 400, 'invalid_input')
  expect(huge.body.errors[0].pointer).toBe('/input/0')
  expectProblem(await send('['.repeat(65) + ']'.repeat(65)), 400, 'too_deep')
  expect((await send('['.repeat(64) + ']'.repeat(64))).status).toBe(201)
})

it('a job that is not there, or whose id is no id, is refused as such', async () => {
  expectProblem(await world.call('GET', '/api/v1/jobs/999'), 404, 'unknown_job')
  for (const id of ['0', '-1', '1.5', '1e3', 'x', '0x1', '99999999999999999999', '%00'])
    expectProblem(await world.call('GET', `/api/v1/jobs/${id}`), 400, 'invalid_input')
})
