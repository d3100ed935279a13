// The pipeline preset, as far as SQS goes: messages trigger attempts and decide nothing. Workers are real processes.
import { defineJob } from 'holdfast'
import { connectSqs, MESSAGE_OUTCOMES, type SqsCounts } from 'holdfast/sqs'
import type { Store } from 'holdfast/store'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { freshApp } from '../support/app.js'
import { Spoiler, WorkerProcess } from '../support/fleet.js'
import { type Emulator, sqsEmulator } from '../support/sqs.js'
import { expectHealthy } from '../support/world.js'

/** Five processes and a busy machine. */
vi.setConfig({ testTimeout: 180_000 })

const QUEUE = 'images'
const SLOTS = 4
const resize = defineJob({ kind: 'resize', queue: QUEUE, handler: async () => {} })

let sqs: Emulator
beforeEach(async () => {
  sqs = await sqsEmulator()
})

const explained = (counts: SqsCounts) =>
  (Object.keys(MESSAGE_OUTCOMES) as (keyof typeof MESSAGE_OUTCOMES)[]).reduce(
    (sum, name) => sum + counts[name],
    0,
  )

it('S2.05 with duplicates, reordering, lost and late messages, unknown ids, a restart of SQS and killed workers every job takes effect once, and each message is counted by its outcome', async () => {
  const app = await freshApp({
    queues: {
      [QUEUE]: { preset: 'pipeline', externalTrigger: 'sqs', leaseMs: 2_000, crashBudget: null },
    },
  })
  const { store } = app
  await store.database.script('create table holdfast.effect (job_id bigint not null, attempt int not null)')
  const heard = sqs.queue('heard')
  const options = {
    endpoint: sqs.endpoint,
    queueUrl: heard,
    send: false,
    waitSeconds: 1,
    fallbackPollMs: 5_000,
  }
  const worker = () => new WorkerProcess(store, { queue: QUEUE, slots: SLOTS, leaseMs: 2_000, sqs: options })
  const [first, second, third] = [worker(), worker(), worker()]
  const sender = await connectSqs({
    client: sqs.client,
    queueUrl: sqs.queueUrl,
    resendMs: 1_000,
    pollMs: 50,
  })
  const relay = await sender.relay(store)
  const spoiler = new Spoiler(sqs, sqs.queueUrl, heard)
  spoiler.start()
  onTestFinished(() => spoiler.stop())
  await Promise.all([first.ready(), second.ready(), third.ready()])

  const enqueue = (count: number) =>
    app.enqueueMany(resize, Array.from({ length: count }).fill(null) as null[])
  const all = await enqueue(60)
  await first.killAfter(5)
  all.push(...(await enqueue(40)))
  await second.killAfter(5)
  const fourth = worker()
  // Whatever is in SQS now is lost, and its address answers nobody for a moment.
  all.push(...(await enqueue(40)))
  await sqs.down()
  await sqs.up()
  all.push(...(await enqueue(20)))
  await fourth.ready()
  await Promise.all(all.map((handle) => handle.result()))

  // All is done. What comes now is late, or was never true.
  await relay.stop()
  await spoiler.stop()
  const before = { late: sum('late'), unknown: sum('unknown'), unrecognized: sum('unrecognized') }
  const again = spoiler.bodies.slice(0, 30)
  for (const body of again) await sqs.send(heard, body)
  for (let n = 1; n <= 10; n++) await sqs.send(heard, JSON.stringify({ job_id: 10_000_000 + n }))
  await sqs.send(heard, 'not one of ours')
  function sum(name: keyof SqsCounts): number {
    return [third, fourth].reduce((total, each) => total + (each.counts?.[name] ?? 0), 0)
  }
  await vi.waitFor(
    () => {
      expect(sum('late') - before.late).toBeGreaterThanOrEqual(30)
      expect(sum('unknown') - before.unknown).toBe(10)
      expect(sum('unrecognized') - before.unrecognized).toBe(1)
    },
    { timeout: 100_000, interval: 50 },
  )

  // Those who ended in order can account for every message; those who were killed for all but what they had in hand.
  for (const counts of await Promise.all([third.stop(), fourth.stop()]))
    expect({ received: counts.received }).toEqual({ received: explained(counts) })
  for (const { counts } of [first, second]) {
    expect(counts).toBeDefined()
    const inHand = (counts as SqsCounts).received - explained(counts as SqsCounts)
    expect(inHand).toBeGreaterThanOrEqual(0)
    expect(inHand).toBeLessThanOrEqual(SLOTS)
  }
  expect(spoiler.doubled).toBeGreaterThan(spoiler.moved * 0.25)
  await expectOnce(store, all.length)
})

/** One effect a job, whatever it took. */
async function expectOnce(store: Store, jobs: number): Promise<void> {
  const [effects] = await store.database.query(
    'select count(*)::int as effects, count(distinct job_id)::int as jobs from holdfast.effect',
  )
  expect(effects).toEqual({ effects: jobs, jobs })
  const states = await store.database.query(
    'select state::text as state, count(*)::int as jobs from holdfast.jobs group by 1',
  )
  expect(states).toEqual([{ state: 'succeeded', jobs }])
  await expectHealthy(store)
}
