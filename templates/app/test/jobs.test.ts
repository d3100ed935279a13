/** Each test has a database of its own, in memory, and a clock that stands still until the test moves it. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, mock, test } from 'node:test'
import { advance, assertEnqueued, enqueued, type FreshApp, freshApp, runUntilIdle } from 'holdfast/testing'
import { digest, jobs, queues, schedules, welcome } from '../src/jobs.js'
import { mail } from '../src/mail.js'
import { createTables, signUp } from '../src/signups.js'

const DAY_MS = 24 * 3_600_000
let app: FreshApp
let send: ReturnType<typeof mock.method<typeof mail, 'send'>>

beforeEach(async () => {
  app = await freshApp({ jobs, queues, schedules })
  await createTables(app)
  send = mock.method(mail, 'send', async () => {})
})
afterEach(async () => {
  mock.restoreAll()
  await app.dispose()
})

test('a signup enqueues one welcome mail, and a second signup with the same address none', async () => {
  assert.notEqual(await signUp(app, 'ada@example.org'), undefined)
  assert.equal(await signUp(app, 'ada@example.org'), undefined)
  await assertEnqueued(app, welcome, { email: 'ada@example.org' })
  assert.equal((await enqueued(app, welcome)).length, 1)
})

test('a welcome mail that cannot be sent is sent again later', async () => {
  send.mock.mockImplementationOnce(async () => {
    throw new Error('mail server unavailable')
  })
  const job = await app.enqueue(welcome, { email: 'ada@example.org' })
  await runUntilIdle(app)
  assert.equal(await job.status(), 'retrying')

  await advance(app, 60_000)
  await runUntilIdle(app)
  assert.deepEqual(await job.result(), { sentTo: 'ada@example.org' })
  assert.equal(send.mock.callCount(), 2)
})

test('the schedule sends a digest every day', async () => {
  await signUp(app, 'ada@example.org')
  await advance(app, DAY_MS)
  await runUntilIdle(app)
  assert.deepEqual(
    (await enqueued(app, digest)).map(({ state }) => state),
    ['succeeded'],
  )
  assert.deepEqual(send.mock.calls.map(({ arguments: [{ subject }] }) => subject).sort(), [
    'Signups so far: 1',
    'Welcome',
  ])
})
