// Whoever sends compares the dead letters with the jobs now and then: one of many, within bounds, and never in the way of a shutdown.
import { connectSqs, type SqsBridge } from 'holdfast/sqs'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { openSqs } from '../../src/triggers/sqs/calls.js'
import { Counts } from '../../src/triggers/sqs/counts.js'
import { type DeadLetterParts, reconcile } from '../../src/triggers/sqs/dead-letters.js'
import { FAILED_FOR_MS, Reconciler } from '../../src/triggers/sqs/reconciler.js'
import { login, sealedStore } from '../support/roles/sealed.js'
import { type Emulator, sqsEmulator } from '../support/sqs.js'
import { pinnedStore, secondStore, type World } from '../support/world.js'

const QUEUE = 'images'
const OF = { trigger: 'sqs' }
const HOUR_MS = 3_600_000
const WAIT = { timeout: 100_000, interval: 20 }
let sqs: Emulator
let store: World

beforeEach(async () => {
  sqs = await sqsEmulator()
  store = await pinnedStore()
  await store.queues.create(QUEUE, { policy: { externalTrigger: 'sqs', maxRetries: 0 } })
})

async function bridge(reconcileMs = HOUR_MS): Promise<SqsBridge> {
  const { client, queueUrl, deadLetterUrl } = sqs
  const made = await connectSqs({ client, queueUrl, deadLetterUrl, waitSeconds: 0, reconcileMs })
  onTestFinished(() => made.close())
  return made
}

const make = async () => (await store.enqueue({ queue: QUEUE, kind: 'k' })).jobId
const word = (jobId: number) => JSON.stringify({ job_id: jobId })
const dead = () => sqs.bodies('jobs-dead').ready.map((body) => JSON.parse(body).job_id)
/** Everything in the outbox was told, as far as it knows. */
async function emptyOutbox(): Promise<void> {
  const rows = await store.triggers.takeOutbox(OF)
  await store.triggers.settleSent(rows.map(({ id }) => ({ id, dueInMs: null })))
}
/** A job that failed, and whose dead letter was lost. */
async function failedUntold(): Promise<number> {
  const jobId = await make()
  const [job] = await store.work.claim({ worker: 'w', queues: [QUEUE] })
  if (job === undefined) throw new Error('there was nothing to claim')
  await store.work.finish([{ ...job, outcome: 'failed' }])
  await emptyOutbox()
  return jobId
}
async function parts(): Promise<DeadLetterParts> {
  const { client, deadLetterUrl } = sqs
  return { sqs: await openSqs({ client }), store, of: OF, deadLetterUrl, counts: new Counts() }
}

it('a relay puts right by itself what dead letters and jobs say differently, and counts it', async () => {
  const failed = await failedUntold()
  await store.clock.advance(FAILED_FOR_MS)
  const waits = await make()
  await emptyOutbox()
  for (const jobId of [waits, 999_999]) await sqs.send(sqs.deadLetterUrl, word(jobId))
  const trigger = await bridge()
  const relay = await trigger.relay(store)
  await vi.waitFor(() => expect(trigger.counts().reconciled).toBe(1), WAIT)
  // The job that can run is told of where workers listen.
  const told = () => new Set(sqs.bodies('jobs').ready.map((body) => JSON.parse(body).job_id))
  await vi.waitFor(() => expect(told()).toEqual(new Set([waits])), WAIT)
  await relay.stop()
  expect(dead()).toEqual([failed])
  expect(trigger.counts()).toMatchObject({
    redriven: 1,
    cleared: 1,
    deadLettersAdded: 1,
    reconcileFailures: 0,
  })
})

it('of many relays one has the turn; when its time has come again, one has it again', async () => {
  const failed = await failedUntold()
  await store.clock.advance(FAILED_FOR_MS)
  const relays = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const other = await secondStore(store, 2)
      // Watched, not replaced.
      const asked = vi.spyOn(other.triggers, 'claimReconcileTurn')
      const trigger = await bridge()
      return { asked, trigger, relay: await trigger.relay(other) }
    }),
  )
  const answers = async () => {
    await vi.waitFor(() => {
      for (const { asked } of relays) expect(asked.mock.settledResults[0]?.type).toBe('fulfilled')
    }, WAIT)
    return relays.map(({ asked }) => asked.mock.settledResults[0]?.value)
  }
  const reconciled = () => relays.reduce((sum, { trigger }) => sum + trigger.counts().reconciled, 0)
  expect((await answers()).filter((ms) => ms === 0)).toHaveLength(1)
  await vi.waitFor(() => expect(reconciled()).toBe(1), WAIT)
  await vi.waitFor(async () => expect(await store.triggers.claimReconcileTurn(OF, 1)).toBe(HOUR_MS), WAIT)
  await Promise.all(relays.map(({ relay }) => relay.stop()))
  expect(reconciled()).toBe(1)
  expect(dead()).toEqual([failed])

  await store.clock.advance(HOUR_MS)
  const later = await bridge()
  const relay = await later.relay(store)
  await vi.waitFor(() => expect(later.counts().reconciled).toBe(1), WAIT)
  await relay.stop()
  expect(dead()).toEqual([failed])
})

it.each([
  [FAILED_FOR_MS - 1, 0],
  [FAILED_FOR_MS, 1],
  [FAILED_FOR_MS + 1, 1],
])('of a job that failed %i ms ago without a dead letter a relay sends %i', async (agoMs, sent) => {
  await failedUntold()
  await store.clock.advance(agoMs)
  const trigger = await bridge()
  const relay = await trigger.relay(store)
  await vi.waitFor(() => expect(trigger.counts().reconciled).toBe(1), WAIT)
  await relay.stop()
  expect(trigger.counts().deadLettersAdded).toBe(sent)
  expect(dead()).toHaveLength(sent)
})

it('while SQS is away it is tried again later, and sending goes on', async () => {
  await sqs.down()
  const trigger = await bridge()
  const relay = await trigger.relay(store)
  await vi.waitFor(() => expect(trigger.counts().reconcileFailures).toBe(1), WAIT)
  await vi.waitFor(async () => expect(await store.triggers.claimReconcileTurn(OF, 1)).toBe(HOUR_MS), WAIT)
  await relay.stop()
})

it('what is looked at is bounded: messages, pages of failed jobs; a pass that is told to stop ends early and leaves everything visible', async () => {
  const ids = [await failedUntold(), await failedUntold(), await failedUntold()]
  for (const jobId of ids) await sqs.send(sqs.deadLetterUrl, word(jobId))
  const all = await parts()
  expect(await reconcile(all, { limit: 2 })).toMatchObject({ examined: 2, kept: 2, complete: false })
  expect(await reconcile(all, { stopping: AbortSignal.abort() })).toMatchObject({
    examined: 0,
    deadLettersAdded: 0,
    complete: false,
  })
  expect(sqs.bodies('jobs-dead').inFlight).toEqual([])
  expect(dead().sort()).toEqual(ids)
  await sqs.takeAll(sqs.deadLetterUrl)
  expect(await reconcile(all, { pages: 0 })).toMatchObject({ deadLettersAdded: 0, complete: true })
  expect(await reconcile(all, { pages: 1, limit: 2 })).toMatchObject({ deadLettersAdded: 2, complete: true })
})

it('where the role may only work it is left to others, and nothing is asked of SQS', async () => {
  const sealed = await sealedStore()
  await sealed.queues.create(QUEUE, { policy: { externalTrigger: 'sqs' } })
  const worker = await login(sealed, 'worker', ['default'])
  const said: object[] = []
  const note = (fields: object) => said.push(fields)
  const log = { debug: note, info: note, warn: note, error: note }
  const asked = vi.spyOn(worker.triggers, 'claimReconcileTurn')
  const all = await parts()
  const reconciler = new Reconciler({ ...all, store: worker, everyMs: 1_000, log })
  reconciler.start()
  await vi.waitFor(() => expect(asked.mock.settledResults[0]?.type).toBe('rejected'), WAIT)
  await reconciler.stop()
  expect(said).toEqual([])
  expect(asked).toHaveBeenCalledTimes(1)
  expect(all.counts.read()).toMatchObject({ reconciled: 0, reconcileFailures: 0 })
})
