// The dead-letter queue and the jobs that failed: compared both ways, and sent back to work; also from the command line.
import { type App, defineJob, GiveUp } from 'holdfast'
import { connectSqs, type SqsBridge } from 'holdfast/sqs'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { holdfast as command } from '../cli/run-holdfast.js'
import { freshApp } from '../support/app.js'
import { AWS_ENV, type Emulator, sqsEmulator } from '../support/sqs.js'
import { postgresUrl } from '../support/world.js'

const QUEUE = 'images'
const WAIT = { timeout: 100_000, interval: 20 }
let sqs: Emulator
let app: App
let bridge: SqsBridge
let isBroken: boolean
const resize = defineJob({
  kind: 'resize',
  queue: QUEUE,
  handler: () => {
    if (isBroken) throw new GiveUp('not an image')
    return 'done'
  },
})

beforeEach(async () => {
  isBroken = true
  sqs = await sqsEmulator({ maxReceiveCount: 2 })
  app = await freshApp({
    jobs: [resize],
    queues: { [QUEUE]: { preset: 'pipeline', externalTrigger: 'sqs' } },
  })
  const { client, queueUrl, deadLetterUrl } = sqs
  // Compared only when the test says so.
  const alone = { fallbackPollMs: 3_600_000, reconcileMs: 0 }
  bridge = await connectSqs({ client, queueUrl, deadLetterUrl, waitSeconds: 1, pollMs: 20, ...alone })
  onTestFinished(() => bridge.close())
})

const word = (jobId: number) => JSON.stringify({ job_id: jobId })
const dead = () => sqs.bodies('jobs-dead').ready.map((body) => JSON.parse(body).job_id)

/** Jobs that failed, each with its word in the dead-letter queue. */
async function failed(count: number): Promise<number[]> {
  const work = await app.work({ trigger: bridge })
  const handles = await app.enqueueMany(resize, Array.from({ length: count }).fill(null) as null[])
  await Promise.all(handles.map((handle) => expect(handle.result()).rejects.toThrow('not an image')))
  await vi.waitFor(() => expect(dead()).toHaveLength(count), WAIT)
  await work.drain()
  return handles.map(({ id }) => id)
}

it('S2.05 a job that fails for good gets a message in the dead-letter queue, which stays until the job is retried', async () => {
  const ids = await failed(2)
  expect([...dead()].sort()).toEqual(ids)
  expect(await bridge.reconcile(app.store)).toMatchObject({
    examined: 2,
    kept: 2,
    deadLettersAdded: 0,
    complete: true,
  })
  expect(dead()).toHaveLength(2)

  isBroken = false
  const work = await app.work({ trigger: bridge })
  const { retried, left } = await bridge.redrive(app.store, {
    jobIds: [ids[0] as number],
    actor: 'ada',
    reason: 'again',
  })
  expect({ retried: retried.map(({ jobId }) => jobId), left }).toEqual({ retried: [ids[0]], left: 1 })
  // The queue is strict: an end is an end, and the retry is a new job.
  const [again] = retried
  expect(await app.handle(again?.as as number).result()).toBe('done')
  expect(await app.store.read.job(again?.as as number)).toMatchObject({ retryOf: ids[0] })
  expect(await app.store.read.job(ids[0] as number)).toMatchObject({ state: 'failed' })
  await work.drain()
  expect(dead()).toEqual([ids[1]])
  // Seen to: it gets no other word, and one that is still about is removed.
  await sqs.send(sqs.deadLetterUrl, word(ids[0] as number))
  expect(await bridge.redrive(app.store, { jobIds: [ids[0] as number] })).toMatchObject({
    retried: [],
    settled: 1,
  })
  expect(await bridge.reconcile(app.store)).toMatchObject({ examined: 1, kept: 1, deadLettersAdded: 0 })
})

it('S2.05 dead letters are compared with the jobs: sent again, removed or kept by the state of each job; failed jobs without a dead letter get one', async () => {
  const [known, lost] = await failed(2)
  await sqs.takeAll(sqs.deadLetterUrl)
  const { id: waits } = await app.enqueue(resize, null)
  const { id: scheduled } = await app.enqueue(resize, null, { delayMs: 3_600_000 })
  for (const body of [word(known as number), word(waits), word(scheduled), word(999_999_999), 'not ours'])
    await sqs.send(sqs.deadLetterUrl, body)
  await app.store.triggers.settleSent(
    (await app.store.triggers.takeOutbox({ trigger: 'sqs' })).map(({ id }) => ({ id, dueInMs: null })),
  )

  expect(await bridge.reconcile(app.store)).toEqual({
    examined: 5,
    kept: 1,
    redriven: 1,
    settled: 1,
    unknown: 1,
    unrecognized: 1,
    duplicates: 0,
    deadLettersAdded: 1,
    complete: true,
  })
  expect(sqs.bodies('jobs-dead').ready.sort()).toEqual(
    [word(known as number), JSON.stringify({ job_id: lost, queue: QUEUE, failed: true }), 'not ours'].sort(),
  )
  expect(await app.store.triggers.takeOutbox({ trigger: 'sqs' })).toMatchObject([
    { jobId: waits, message: 'claimable' },
  ])
})

it('of several dead letters of a failed job one stays; one that is still to be told of gets none besides', async () => {
  const [told, waits] = await failed(2)
  await sqs.takeAll(sqs.deadLetterUrl)
  for (const id of [told, told, told]) await sqs.send(sqs.deadLetterUrl, word(id as number))
  // As if the relay had not come to it yet.
  await app.store.database.query(
    `insert into holdfast.outbox (job_id, queue_id, created_at, trigger)
     select j.id, j.queue_id, holdfast.now(), 'sqs' from holdfast.job j where j.id = $1`,
    [waits],
  )
  expect(await bridge.reconcile(app.store)).toMatchObject({
    examined: 3,
    kept: 1,
    duplicates: 2,
    deadLettersAdded: 0,
  })
  expect(dead()).toEqual([told])
  expect(bridge.counts()).toMatchObject({ reconciled: 1, redriven: 0, cleared: 2, deadLettersAdded: 0 })
})

it('S2.05 a message that SQS gave up on because workers died does not fail its job: another message is sent, and the job runs', async () => {
  isBroken = false
  const handle = await app.enqueue(resize, null)
  const relay = await bridge.relay(app.store)
  await vi.waitFor(() => expect(bridge.counts().sent).toBe(1), WAIT)
  await relay.stop()
  // Received twice by somebody who never comes back; the third time SQS sets it aside.
  await sqs.giveUpOn(sqs.queueUrl, 2)
  await vi.waitFor(() => expect(dead()).toEqual([handle.id]), WAIT)
  const work = await app.work({ trigger: bridge })
  expect(await bridge.reconcile(app.store)).toMatchObject({ examined: 1, redriven: 1 })
  expect(await handle.result()).toBe('done')
  await work.drain()
  expect(dead()).toEqual([])
})

it('status, reconcile and redrive are commands, with a remedy where no queue is named', async () => {
  const ids = await failed(1)
  const env = { ...AWS_ENV, AWS_ENDPOINT_URL_SQS: sqs.endpoint }
  const where = ['--url', postgresUrl(), '--schema', app.store.schema]
  const queues = ['--sqs', sqs.queueUrl, '--sqs-dead-letter', sqs.deadLetterUrl]
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await command(['sqs', ...args, ...where, ...queues, '--json'], { env })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return JSON.parse(stdout)
  }
  expect(await run('status')).toMatchObject({
    outbox: { unsent: 0 },
    queue: { visible: 0, inFlight: 0 },
    deadLetters: { visible: 1 },
  })
  expect(await run('reconcile')).toMatchObject({ examined: 1, kept: 1 })
  expect(await run('redrive', String(ids[0]), '--reason', 'again')).toMatchObject({
    retried: [{ jobId: ids[0] }],
  })
  const unnamed = await command(['sqs', 'status', ...where], { env })
  expect(unnamed).toMatchObject({ code: 2, stderr: expect.stringContaining('sqs.queue_url') })
})
