// Wrong calls of the library, as plain JavaScript and `any` allow them: each is refused with a code, the path of the mistake, and words that
// say what to write instead.
import * as library from 'holdfast'
import { type ErrorCode, HoldfastError } from 'holdfast'
import { Client } from 'holdfast/client'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { freshApp } from '../support/app.js'
import { postgresUrl } from '../support/world.js'

// biome-ignore lint/suspicious/noExplicitAny: the compiler would refuse these calls
type Anything = any
const { defineJob, holdfast, work } = library as Anything
const ApiClient = Client as Anything

const greet = defineJob({
  kind: 'greet',
  queue: 'q',
  input: z.object({ name: z.string() }),
  handler: () => {},
})
const free = defineJob({ kind: 'free', queue: 'q', handler: () => {} })
const handler = () => {}

/** The call, what the message has to say, and the code. */
type Row = readonly [name: string, call: () => unknown, message: RegExp, code?: ErrorCode]

const cases = (rows: readonly Row[]) => rows.map((row) => ({ name: row[0], row }))

async function expectRefusal([, call, message, code = 'invalid_input']: Row): Promise<void> {
  const error: unknown = await Promise.resolve()
    .then(call)
    .then(
      () => 'accepted',
      (reason: unknown) => reason,
    )
  expect(error).toBeInstanceOf(HoldfastError)
  const refused = error as HoldfastError
  expect(refused).toMatchObject({ code, remedy: expect.stringMatching(/^[A-Z].+\.$/) })
  expect(refused.message).toMatch(message)
  expect(refused.message).not.toMatch(/relation|syntax for type|array literal|is not a function/)
}

describe('defineJob', () => {
  const ROWS: readonly Row[] = [
    ['without options', () => defineJob(), /must be an object, like \{ kind/],
    ['a name instead of options', () => defineJob('greet', handler), /must be an object/],
    ['without a kind', () => defineJob({ handler }), /\/kind: must be text/],
    ['a kind with a space', () => defineJob({ kind: 'a b', handler }), /\/kind: must consist of/],
    ['without a handler', () => defineJob({ kind: 'a' }), /\/handler: must be a function/],
    ['a misspelt field', () => defineJob({ kind: 'a', handlr: handler }), /Did you mean "handler"/],
    [
      'a duration as text',
      () => defineJob({ kind: 'a', timeoutMs: '30s', handler }),
      /\/timeoutMs: must be a whole number/,
    ],
    [
      'negative retries',
      () => defineJob({ kind: 'a', maxRetries: -1, handler }),
      /\/maxRetries: .* from 0 to 1000/,
    ],
    [
      'a priority above 100',
      () => defineJob({ kind: 'a', priority: 101, handler }),
      /\/priority: .* from 0 to 100/,
    ],
    [
      'a schema that is none',
      () => defineJob({ kind: 'a', input: { name: 'string' }, handler }),
      /\/input: .*Standard Schema/,
    ],
    [
      'null as the schema',
      () => defineJob({ kind: 'a', input: null, handler }),
      /\/input: .*Standard Schema/,
    ],
    [
      'a number as the key',
      () => defineJob({ kind: 'a', key: 5, handler }),
      /\/key: must be a template like/,
    ],
    ['an open template', () => defineJob({ kind: 'a', key: 'a{', handler }), /\/key: .*\{a\.b\}/],
    [
      'a function in a thread',
      () => defineJob({ kind: 'a', isolate: 'thread', handler }),
      /must be the URL of a module/,
    ],
    [
      'an unknown isolation',
      () => defineJob({ kind: 'a', isolate: 'vm', handler }),
      /must be thread or process/,
    ],
  ]

  it.each(cases(ROWS))('$name', ({ row }) => expectRefusal(row))
})

describe('on an app', () => {
  let app: Anything
  beforeEach(async () => {
    app = await freshApp({ jobs: [greet, free] })
  })
  const open = (options: object) => holdfast({ store: app.store, ...options })
  const scheduled = (schedule: object) => open({ jobs: [free], schedules: [schedule] })
  const url = () => postgresUrl()

  const OPENING: readonly Row[] = [
    ['an address instead of options', () => holdfast(url()), /must be an object, like \{ url/],
    ['an undefined url', () => holdfast({ url: undefined }), /\/url: has no value, .*set that variable/],
    [
      'a url without a scheme',
      () => holdfast({ url: 'localhost:5432/db' }),
      /\/url: .*postgres:\/\/user@host/,
    ],
    ['a number as url', () => holdfast({ url: 5432 }), /\/url: .*postgres:\/\/user@host/],
    ['another system', () => holdfast({ url: 'mysql://h/d' }), /\/url: .*postgres:\/\/user@host/],
    ['url and embedded', () => holdfast({ url: url(), embedded: 'memory' }), /cannot be combined with `url`/],
    ['an unknown embedded', () => holdfast({ embedded: 'disk' }), /\/embedded: must be 'memory', or/],
    ['no connections', () => holdfast({ url: url(), connections: 0 }), /\/connections: .* from 1 to 1000/],
    [
      'a schema that is not installed',
      () => holdfast({ url: url(), schema: 'nowhere' }),
      /"nowhere" is not installed/,
      'schema_missing',
    ],
    [
      'a schema that cannot be',
      () => holdfast({ url: url(), schema: 'No-Where' }),
      /cannot be used/,
      'schema_name_invalid',
    ],
    ['a misspelt option', () => open({ job: [free] }), /Did you mean "jobs"/],
    ['one job instead of a list', () => open({ jobs: free }), /\/jobs: must be a list/],
    [
      'a job that is none',
      () => open({ jobs: [{ kind: 'a' }] }),
      /\/jobs\/0: must be a job made with defineJob/,
    ],
    ['an undefined job', () => open({ jobs: [free, undefined] }), /\/jobs\/1: .*circular import/],
    [
      'two jobs of one kind',
      () => open({ jobs: [free, defineJob({ kind: 'free', handler })] }),
      /two jobs of the kind "free"/,
    ],
    ['a list of queues', () => open({ queues: ['mail'] }), /\/queues: must be an object, like/],
    ['a misspelt policy', () => open({ queues: { mail: { maxRetires: 1 } } }), /Did you mean "maxRetries"/],
    ['a misspelt preset', () => open({ queues: { mail: { preset: 'crwal' } } }), /Did you mean "crawl"/],
    ['a tenant with a space', () => open({ tenant: 'a b' }), /\/tenant: must consist of/],
    ['a log that is none', () => open({ log: true }), /\/log: must be a logger/],
    ['notify as text', () => open({ notify: 'no' }), /\/notify: must be true or false/],
    [
      'a misspelt setting',
      () => open({ settings: { overrides: { STALE_DAY: 1 } } }),
      /Did you mean "STALE_DAYS"/,
      'unknown_setting',
    ],
    ['schedules that are no list', () => open({ schedules: {} }), /\/schedules: must be a list/],
    [
      'a schedule without a job',
      () => scheduled({ name: 'a', expression: '0 9 * * *' }),
      /\/schedules\/0\/job: must be/,
    ],
    ['a schedule without a time', () => scheduled({ name: 'a', job: free }), /\/expression: is needed/],
    [
      'a minute that does not exist',
      () => scheduled({ name: 'a', job: free, expression: '99 * * * *' }),
      /"99" is no minute/,
    ],
    [
      'a zone that does not exist',
      () => scheduled({ name: 'a', job: free, expression: '0 9 * * *', timeZone: 'Mars' }),
      /no time zone "Mars"; use a name like/,
    ],
    [
      'a misspelt zone',
      () => scheduled({ name: 'a', job: free, expression: '0 9 * * *', timezone: 'UTC' }),
      /Did you mean "timeZone"/,
    ],
  ]

  it.each(cases(OPENING))('holdfast(): $name', ({ row }) => expectRefusal(row))

  const ENQUEUING: readonly Row[] = [
    ['nothing', () => app.enqueue(), /\/job: must be a job made with defineJob/],
    ['a kind instead of a job', () => app.enqueue('greet', { name: 'Ada' }), /\/job: must be a job/],
    ['an input of another type', () => app.enqueue(greet, { name: 5 }), /\/input\/name/],
    ['no input', () => app.enqueue(greet), /\/input: .*expected object/],
    [
      'a function in the input',
      () => app.enqueue(free, { call: handler }),
      /\/input\/call: a function cannot/,
    ],
    ['a bigint', () => app.enqueue(free, { id: 1n }), /\/input\/id: .*convert it to a string/],
    ['a value that contains itself', () => app.enqueue(free, itself()), /contains itself/],
    [
      'a payload over the limit',
      () => app.enqueue(free, 'x'.repeat(300_000)),
      /payloadBytesMax of 262144 bytes/,
      'payload_too_large',
    ],
    ['a payload that is too deep', () => app.enqueue(free, deep(65)), /at most 64 levels/, 'too_deep'],
    ['a misspelt option', () => app.enqueue(free, {}, { delayMS: 5 }), /Did you mean "delayMs"/],
    ['options that are a number', () => app.enqueue(free, {}, 5), /\/options: must be an object, like/],
    ['a delay as text', () => app.enqueue(free, {}, { delayMs: '5s' }), /\/delayMs: must be a whole number/],
    ['a time in words', () => app.enqueue(free, {}, { runAt: 'tomorrow' }), /\/runAt: .*like 2030-01-31/],
    ['a time in a hundred years', () => app.enqueue(free, {}, { runAt: '2126-01-01T00:00:00Z' }), /10 years/],
    ['an empty key', () => app.enqueue(free, {}, { key: '' }), /\/key: must be text of 1 to 256/],
    [
      'a transaction that is none',
      () => app.enqueue(free, {}, { tx: {} }),
      /\/tx: must be a transaction of pg/,
    ],
    ['many, without a list', () => app.enqueueMany(free, {}), /\/inputs: must be a list/],
    [
      'more than a batch',
      () => app.enqueueMany(free, Array(10_001).fill(1)),
      /1 to 10000 entries, not 10001/,
    ],
  ]

  it.each(cases(ENQUEUING))('enqueue(): $name', ({ row }) => expectRefusal(row))

  const OTHERS: readonly Row[] = [
    ['work() without jobs', async () => (await open({})).work(), /define jobs, or name queues/],
    ['work() with a misspelt option', () => app.work({ concurency: 3 }), /Did you mean "concurrency"/],
    ['work() with no concurrency', () => app.work({ concurrency: 0 }), /\/concurrency: .*at least 1/],
    [
      'work() with a queue instead of a list',
      () => app.work({ queues: 'q' }),
      /\/queues: must be a list of names/,
    ],
    ['work() with a lease of 10 ms', () => app.work({ leaseMs: 10 }), /\/leaseMs: .* from 1000/],
    ['work() with no process', () => app.work({ processes: 0 }), /\/processes: .* from 1 to 1000/],
    ['work() after stop()', () => stopped((ended) => ended.work()), /cannot work any more/, 'app_stopped'],
    [
      'enqueue() after stop()',
      () => stopped((ended) => ended.enqueue(free)),
      /cannot enqueue any more/,
      'app_stopped',
    ],
    [
      'work() for a server, without jobs',
      () => work({ server: { url: 'http://localhost' } }),
      /\/jobs: must be a list/,
    ],
    ['a client without an address', () => new ApiClient({}), /\/url: must be the address of a server, like/],
    ['a handle of text', () => app.handle('abc'), /\/jobId: must be a job id/],
    ['the result of an unknown job', () => app.handle(999).result(), /no job 999/, 'unknown_job'],
    ['a command on an unknown job', () => app.jobs.retry(999), /no job 999/, 'unknown_job'],
    ['an unknown queue', () => app.queues.pause('nope'), /no queue "nope"/, 'unknown_queue'],
    ['an unknown schedule', () => app.schedules.pause('nope'), /no schedule "nope"/, 'unknown_schedule'],
    [
      'an unknown setting',
      () => app.settings.set('STALE_DAY', 1),
      /Did you mean "STALE_DAYS"/,
      'unknown_setting',
    ],
    ['a setting out of bounds', () => app.settings.set('STALE_DAYS', 0), /from 1 to 3650/],
  ]

  it.each(cases(OTHERS))('$name', ({ row }) => expectRefusal(row))

  async function stopped(act: (app: Anything) => unknown): Promise<unknown> {
    const ended = await open({ jobs: [free] })
    await ended.stop()
    return act(ended)
  }
})

function itself(): object {
  const value: Record<string, unknown> = {}
  value.itself = value
  return value
}

const deep = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels))
