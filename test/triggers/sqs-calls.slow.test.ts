// Between the bridge and SQS: what of a batch is not taken, how long messages are hidden, and queues in order.
import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs'
import { type App, defineJob } from 'holdfast'
import { connectSqs, type SqsOptions } from 'holdfast/sqs'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { freshApp } from '../support/app.js'
import { type Emulator, sqsEmulator } from '../support/sqs.js'

const QUEUE = 'images'
const WAIT = { timeout: 100_000, interval: 20 }
let sqs: Emulator
let open: () => void
let app: App
const resize = defineJob({
  kind: 'resize',
  queue: QUEUE,
  handler: () =>
    new Promise<void>((resolve) => {
      open = resolve
    }),
})

beforeEach(async () => {
  sqs = await sqsEmulator()
  app = await freshApp({
    jobs: [resize],
    queues: { [QUEUE]: { preset: 'default', externalTrigger: 'sqs', leaseMs: 2_000, heartbeatMs: 500 } },
  })
})

async function bridge(options: Partial<SqsOptions> = {}) {
  const { client, queueUrl } = sqs
  const made = await connectSqs({
    client,
    queueUrl,
    fallbackPollMs: 3_600_000,
    waitSeconds: 1,
    pollMs: 20,
    ...options,
  })
  onTestFinished(() => made.close())
  return made
}

/** Every other entry of the first batch has a character that SQS does not take. */
function spoiled(client: SQSClient): SQSClient {
  let isFirst = true
  const send = (command: unknown, ...rest: unknown[]) => {
    if (command instanceof SendMessageBatchCommand && isFirst) {
      isFirst = false
      for (const [n, entry] of (command.input.Entries ?? []).entries())
        if (n % 2 === 0) entry.MessageBody = '\u0001'
    }
    return (client.send as (...args: unknown[]) => unknown)(command, ...rest)
  }
  return { send, destroy: () => {} } as unknown as SQSClient
}

it('what SQS does not take of a batch is sent again, the rest is not', async () => {
  const trigger = await bridge({ client: spoiled(sqs.client) })
  const handles = await app.enqueueMany(resize, Array.from({ length: 6 }).fill(null) as null[])
  const relay = await trigger.relay(app.store)
  await vi.waitFor(() => expect(trigger.counts().sent).toBe(6), WAIT)
  await relay.stop()
  expect(trigger.counts()).toMatchObject({ sent: 6, sendFailures: 3, resent: 0 })
  const told = sqs.bodies('jobs').ready.map((body) => JSON.parse(body).job_id)
  expect(told.sort((a, b) => a - b)).toEqual(handles.map(({ id }) => id))
})

it('a message is hidden for as long as the lease lasts, again and again while its job runs, and deleted after its end', async () => {
  const trigger = await bridge()
  const work = await app.work({ trigger })
  const handle = await app.enqueue(resize, null)
  await vi.waitFor(() => expect(trigger.counts().extended).toBeGreaterThanOrEqual(2), WAIT)
  const [seconds = 0] = sqs.hiddenSeconds('jobs')
  expect(seconds).toBeGreaterThan(0)
  expect(seconds).toBeLessThanOrEqual(2)
  expect(trigger.counts()).toMatchObject({ received: 1, claimed: 1, deleted: 0 })
  open()
  await handle.result()
  await work.drain()
  expect(trigger.counts()).toMatchObject({ received: 1, deleted: 1, extendFailures: 0 })
  expect(sqs.bodies('jobs')).toEqual({ ready: [], inFlight: [] })
})

it('a fifo queue works as well: each job is a group of its own', async () => {
  const queueUrl = sqs.queue('jobs.fifo')
  const trigger = await bridge({ queueUrl })
  const handles = await app.enqueueMany(resize, [null, null])
  const work = await app.work({ trigger })
  await vi.waitFor(() => expect(trigger.counts().claimed).toBe(2), WAIT)
  await work.drain({ graceMs: 0 })
  expect(trigger.counts()).toMatchObject({ sent: 2, received: 2, claimed: 2 })
  expect(handles).toHaveLength(2)
})
