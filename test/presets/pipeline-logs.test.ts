// S2.07: what is kept and said of every attempt.

import { defineJob, GiveUp, type Log } from 'holdfast'
import { expect, it } from 'vitest'
import { freshApp } from '../support/app.js'

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const SECRET = 'nobody-may-read-this'

interface Line {
  readonly level: string
  readonly message: string
  readonly fields: Record<string, unknown>
}

function listeningLog() {
  const lines: Line[] = []
  const at = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, message, fields: { ...fields } })
  const log: Log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
  return { log, attempts: () => lines.filter(({ message }) => message === 'attempt ended') }
}

const flaky = defineJob({
  kind: 'flaky',
  queue: 'pipeline',
  maxRetries: 3,
  handler: ({ attempt }, _input: { secret: string }) => {
    if (attempt < 3) throw new Error(`the mailbox is full (${attempt})`)
    return { secret: SECRET }
  },
})
const hopeless = defineJob({
  kind: 'hopeless',
  queue: 'pipeline',
  handler: () => {
    throw new GiveUp('there is no such mailbox')
  },
})

it('S2.07 every attempt logs one line with duration, error, number of the retry and new state, and no payload', async () => {
  const { log, attempts } = listeningLog()
  const queues = { pipeline: { preset: 'pipeline', retryBaseMs: 1 } } as const
  const app = await freshApp({ jobs: [flaky, hopeless], queues, log })
  const job = await app.enqueue(flaky, { secret: SECRET }, { trace: TRACE })
  const other = await app.enqueue(hopeless, null)
  const working = await app.work({ name: 'bench-3', pollMs: 10 })
  await job.result()
  await other.result().catch(() => {})
  await working.drain()

  const ofJob = attempts().filter(({ fields }) => fields.job_id === job.id)
  const usual = {
    kind: 'flaky',
    queue: 'pipeline',
    worker_id: 'bench-3',
    trace_id: TRACE.slice(3, 35),
    accepted: true,
  }
  expect(ofJob).toMatchObject([
    {
      level: 'warn',
      fields: {
        ...usual,
        attempt: 1,
        retry: 0,
        outcome: 'failed',
        state: 'retrying',
        reason: 'the mailbox is full (1)',
      },
    },
    {
      level: 'warn',
      fields: {
        ...usual,
        attempt: 2,
        retry: 1,
        outcome: 'failed',
        state: 'retrying',
        reason: 'the mailbox is full (2)',
      },
    },
    { level: 'debug', fields: { ...usual, attempt: 3, retry: 2, outcome: 'succeeded', state: 'succeeded' } },
  ])
  for (const { fields } of ofJob) expect(fields.duration_ms).toEqual(expect.any(Number))
  expect(ofJob[0]?.fields.due_at).toEqual(expect.any(Date))
  expect(attempts().filter(({ fields }) => fields.job_id === other.id)).toMatchObject([
    {
      level: 'warn',
      fields: { attempt: 1, retry: 0, state: 'failed', reason: 'there is no such mailbox', trace_id: null },
    },
  ])
  expect(JSON.stringify(attempts())).not.toContain(SECRET)
})

it('S2.07 the row of an attempt has its times, its failure, its retry number and the resulting state', async () => {
  const queues = { pipeline: { preset: 'pipeline', retryBaseMs: 1 } } as const
  const app = await freshApp({ jobs: [flaky], queues })
  const job = await app.enqueue(flaky, { secret: SECRET })
  const working = await app.work({ pollMs: 10 })
  await job.result()
  await working.drain()

  const rows = await app.store.read.attempts(job.id)
  expect(rows).toMatchObject([
    {
      attempt: 1,
      failures: 1,
      outcome: 'failed',
      movedTo: 'retrying',
      errorMessage: 'the mailbox is full (1)',
    },
    {
      attempt: 2,
      failures: 2,
      outcome: 'failed',
      movedTo: 'retrying',
      errorMessage: 'the mailbox is full (2)',
    },
    { attempt: 3, failures: 2, outcome: 'succeeded', movedTo: 'succeeded', errorMessage: null },
  ])
  for (const { startedAt, finishedAt } of rows)
    expect(finishedAt.getTime() - (startedAt?.getTime() ?? Number.NaN)).toBeGreaterThanOrEqual(0)
})
