// SQS as a trigger, against an emulator that speaks its HTTP API: what is sent, what becomes of each kind of message, and what is left behind.
import { type App, defineJob, holdfast, type JobContext, type WorkOptions } from 'holdfast'
import { connectSqs, MESSAGE_OUTCOMES, type SqsBridge, type SqsCounts, type SqsOptions } from 'holdfast/sqs'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { freshApp } from '../support/app.js'
import { type Emulator, sqsEmulator } from '../support/sqs.js'
import { expectHealthy, postgresUrl } from '../support/world.js'

const QUEUE = 'images'
const WAIT = { timeout: 100_000, interval: 20 }

/** Runs until the test lets it go, and says how often it was begun. */
class Gate {
  readonly begun: number[] = []
  #open: () => void = () => {}
  #opened = Promise.resolve()
  close(): void {
    this.#opened = new Promise((resolve) => {
      this.#open = resolve
    })
  }
  open(): void {
    this.#open()
  }
  async pass({ jobId }: JobContext): Promise<void> {
    this.begun.push(jobId)
    await this.#opened
  }
}

let sqs: Emulator
let gate: Gate
let app: App
const resize = defineJob({
  kind: 'resize',
  queue: QUEUE,
  handler: async (ctx, input: { fail?: boolean } | null) => {
    await gate.pass(ctx)
    if (input?.fail === true) throw new Error('this image is broken')
  },
})

beforeEach(async () => {
  gate = new Gate()
  sqs = await sqsEmulator()
  app = await freshApp({
    jobs: [resize],
    queues: {
      [QUEUE]: { preset: 'pipeline', externalTrigger: 'sqs', maxRetries: 0 },
      others: { preset: 'pipeline', externalTrigger: 'sqs' },
    },
  })
})

async function bridge(options: Partial<SqsOptions> = {}): Promise<SqsBridge> {
  const { client, queueUrl, deadLetterUrl } = sqs
  // Long enough that nothing comes by another way than the test's.
  const made = await connectSqs({
    client,
    queueUrl,
    deadLetterUrl,
    fallbackPollMs: 3_600_000,
    reconcileMs: 0,
    waitSeconds: 1,
    pollMs: 20,
    ...options,
  })
  onTestFinished(() => made.close())
  return made
}

async function working(trigger: SqsBridge, options: WorkOptions = {}) {
  return app.work({ concurrency: 5, graceMs: 5_000, ...options, trigger })
}

/** Sums up: every message that was received went exactly one way. */
function expectExplained(counts: SqsCounts): void {
  const explained = (Object.keys(MESSAGE_OUTCOMES) as (keyof typeof MESSAGE_OUTCOMES)[]).reduce(
    (sum, name) => sum + counts[name],
    0,
  )
  expect({ received: counts.received }).toEqual({ received: explained })
}

const word = (jobId: number) => JSON.stringify({ job_id: jobId })
const stateOf = async (jobId: number) => (await app.store.read.job(jobId))?.state

describe('the outbox', () => {
  it('is sent in batches, each job once, and the job runs once its message came', async () => {
    const trigger = await bridge()
    const handles = await app.enqueueMany(resize, Array.from({ length: 25 }).fill(null) as null[])
    const work = await working(trigger)
    await Promise.all(handles.map((handle) => handle.result()))
    await work.drain()
    expect(trigger.counts()).toMatchObject({
      sent: 25,
      resent: 0,
      received: 25,
      claimed: 25,
      deleted: 25,
      polled: 0,
    })
    expect(gate.begun).toHaveLength(25)
    expect(sqs.bodies('jobs')).toEqual({ ready: [], inFlight: [] })
    await expectHealthy(app.store)
  })

  it('is sent by whoever still works, however many have shared a bridge and gone', async () => {
    const trigger = await bridge()
    // With its address known, each call of work() has connections of its own.
    const other = await holdfast({ store: app.store, url: postgresUrl(), jobs: [resize] })
    onTestFinished(() => other.stop())
    const [first, second] = [await other.work({ trigger }), await other.work({ trigger })]
    await first.drain()
    const handle = await app.enqueue(resize, null)
    await handle.result()
    await second.drain()
    expect(trigger.counts()).toMatchObject({ sent: 1, claimed: 1, polled: 0 })
  })

  it('keeps what SQS does not take, and sends it when SQS is back', async () => {
    await sqs.down()
    const trigger = await bridge()
    const handle = await app.enqueue(resize, null)
    const relay = await trigger.relay(app.store)
    await vi.waitFor(() => expect(trigger.counts().sendFailures).toBeGreaterThan(0), WAIT)
    expect(await app.store.triggers.depth({ trigger: 'sqs' })).toMatchObject({ unsent: 1, sent: 0 })
    await sqs.up()
    await vi.waitFor(() => expect(sqs.bodies('jobs').ready).toHaveLength(1), WAIT)
    await relay.stop()
    expect(JSON.parse(sqs.bodies('jobs').ready[0] ?? '')).toMatchObject({ job_id: handle.id })
  })

  it('holds words of a paused queue back until it goes on', async () => {
    const trigger = await bridge()
    await app.queues.pause(QUEUE)
    const handle = await app.enqueue(resize, null)
    const work = await working(trigger)
    const other = await app.store.enqueue({ queue: 'others', kind: 'resize' })
    await vi.waitFor(() => expect(trigger.counts().sent).toBe(1), WAIT)
    await vi.waitFor(() => expect(trigger.counts().otherQueue).toBe(1), WAIT)
    expect(await stateOf(handle.id)).toBe('queued')
    await app.queues.resume(QUEUE)
    await handle.result()
    await work.drain()
    expect(await stateOf(other.jobId)).toBe('queued')
  })
})

it('from queues without the trigger a worker claims as it would without SQS, beside what it is told of', async () => {
  const plain = defineJob({ kind: 'plain', queue: 'plain', handler: () => 'done' })
  const other = await holdfast({ store: app.store, jobs: [resize, plain] })
  onTestFinished(() => other.stop())
  await app.queues.create('plain')
  const trigger = await bridge()
  const work = await other.work({ trigger, concurrency: 5 })
  const handles = [await other.enqueue(plain, null), await other.enqueue(resize, null)]
  await Promise.all(handles.map((handle) => handle.result()))
  handles.push(await other.enqueue(plain, null))
  await Promise.all(handles.map((handle) => handle.result()))
  await work.drain()
  expect(trigger.counts()).toMatchObject({ sent: 1, received: 1, claimed: 1, polled: 0 })
})

describe('a message', () => {
  it.each([
    [
      'late',
      async () => {
        const handle = await app.enqueue(resize, null)
        const [job] = await app.store.work.claim({ worker: 'w', queues: [QUEUE] })
        if (job) await app.store.work.finish([{ ...job, outcome: 'succeeded' }])
        return word(handle.id)
      },
    ],
    [
      'duplicate',
      async () => {
        const handle = await app.enqueue(resize, null)
        await app.store.work.claim({ worker: 'w', queues: [QUEUE] })
        return word(handle.id)
      },
    ],
    ['early', async () => word((await app.enqueue(resize, null, { delayMs: 3_600_000 })).id)],
    [
      'blocked',
      async () => word((await app.store.enqueue({ queue: QUEUE, kind: 'resize', pending: true })).jobId),
    ],
    ['unknown', async () => word(999_999_999)],
  ] as const)('that is %s runs nothing, is counted and goes', async (verdict, make) => {
    const body = await make()
    const trigger = await bridge({ send: false })
    const work = await working(trigger)
    await sqs.send(sqs.queueUrl, body)
    await vi.waitFor(() => expect(trigger.counts()[verdict]).toBe(1), WAIT)
    await work.drain()
    expect(gate.begun).toEqual([])
    expect(trigger.counts()).toMatchObject({ received: 1, deleted: 1 })
    expectExplained(trigger.counts())
    expect(sqs.bodies('jobs')).toEqual({ ready: [], inFlight: [] })
  })

  it('that is not ours runs nothing, is counted and stays', async () => {
    const bodies = [
      'hello',
      '{"job_id": "7"}',
      '{"job_id": -1}',
      '[]',
      'null',
      '{"job_id": 1e300}',
      `{"job_id": 7${' '.repeat(5000)}}`,
    ]
    const trigger = await bridge({ send: false })
    const work = await working(trigger)
    for (const body of bodies) await sqs.send(sqs.queueUrl, body)
    await vi.waitFor(() => expect(trigger.counts().unrecognized).toBe(bodies.length), WAIT)
    await work.drain()
    expectExplained(trigger.counts())
    expect(sqs.bodies('jobs').inFlight.sort()).toEqual(bodies.sort())
  })

  it('for a job that a limit keeps from starting is put off, and the job is told again', async () => {
    await app.queues.setPolicy(QUEUE, { maxRunning: 1 })
    gate.close()
    const trigger = await bridge({ deferMs: 100 })
    const handles = await app.enqueueMany(resize, [null, null])
    const work = await working(trigger)
    await vi.waitFor(() => expect(trigger.counts().deferred).toBeGreaterThan(1), WAIT)
    expect(gate.begun).toHaveLength(1)
    gate.open()
    await Promise.all(handles.map((handle) => handle.result()))
    await work.drain()
    expect(gate.begun).toHaveLength(2)
    expectExplained(trigger.counts())
  })

  it('that was lost is sent again when the job still waits after its time', async () => {
    const trigger = await bridge({ resendMs: 1_000 })
    const handle = await app.enqueue(resize, null)
    const relay = await trigger.relay(app.store)
    await vi.waitFor(() => expect(trigger.counts().sent).toBe(1), WAIT)
    await sqs.down()
    await sqs.up()
    await relay.stop()
    const work = await working(trigger)
    await handle.result()
    await work.drain()
    expect(trigger.counts()).toMatchObject({ resent: 1, claimed: 1, polled: 0 })
  })

  it('that never comes does not keep the job from running: it is claimed as usual now and then', async () => {
    const trigger = await bridge({ send: false, fallbackPollMs: 100 })
    const handle = await app.enqueue(resize, null)
    const work = await working(trigger)
    await handle.result()
    await work.drain()
    expect(trigger.counts()).toMatchObject({ received: 0, polled: 1 })
  })
})
