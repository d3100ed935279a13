/**
 * A shop for `up --demo`, beside the simulated kinds: queues that have something to show. The card network refuses most payments, the
 * conversation with one customer is blocked by its first message, reports have no worker, a schedule creates jobs of a kind that
 * no program declares, another one is late, and videos report progress. Everything has a key or a cap, so that a demo left running stays as large as
 * it was.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { QueueDeclaration } from '../../app/declare-queues.js'
import { type DefinedJob, defineJob } from '../../app/define-job.js'
import type { App } from '../../app/holdfast.js'

export const SHOP_QUEUES: Readonly<Record<string, QueueDeclaration>> = {
  billing: { maxRetries: 2, retryBaseMs: 8_000, maxRunning: 4 },
  conversations: { preset: 'target' },
  media: { maxRunning: 2 },
}

/** The customer whose conversation is blocked. */
const STUCK_CUSTOMER = 4411
const MESSAGES_BEHIND = 12
const REPORTS = 3
const LATE_SCHEDULE = 'follow-up'
/** Four seconds in all: Ctrl-C waits for running jobs. */
const VIDEO_STEPS = 10
const VIDEO_STEP_MS = 400

const capturePayment = defineJob({
  kind: 'capture-payment',
  queue: 'billing',
  async handler(ctx, { order }: { order: number; amount: number }) {
    ctx.log.info(`capturing the payment of order ${order}`)
    await wait(120 + (order % 5) * 40, undefined, { signal: ctx.signal })
    if (order % 7 !== 0)
      throw Object.assign(new Error('connect ECONNREFUSED 10.0.4.7:443'), { code: 'ECONNREFUSED' })
    return { captured: true }
  },
})

const reply = defineJob({
  kind: 'reply',
  queue: 'conversations',
  target: 'customer:{customer}',
  async handler(ctx, { customer }: { customer: number; message: string }) {
    await wait(250, undefined, { signal: ctx.signal })
    if (customer === STUCK_CUSTOMER) {
      ctx.log.warn('the prompt has 9,120 tokens, and the model allows 8,192')
      throw new Error('token limit exceeded')
    }
    return { sent: true }
  },
})

const transcodeVideo = defineJob({
  kind: 'transcode-video',
  queue: 'media',
  key: 'video:{video}',
  async handler(ctx, { video }: { video: number }) {
    for (let done = 1; done <= VIDEO_STEPS; done += 1) {
      await wait(VIDEO_STEP_MS, undefined, { signal: ctx.signal })
      await ctx.progress({ done, of: VIDEO_STEPS })
      if (done % 2 === 0) ctx.log.info(`scene ${done / 2} of video ${video} is encoded`)
    }
    return { video, seconds: VIDEO_STEPS }
  },
})

export const SHOP_JOBS: readonly DefinedJob[] = [capturePayment, reply, transcodeVideo]

/** What stands still in the shop. Runs at every start: keys and names keep it from being there twice. */
export async function openShop({ store }: App): Promise<void> {
  await store.enqueueMany([
    ...Array.from({ length: MESSAGES_BEHIND + 1 }, (_, n) => ({
      ...{ queue: 'conversations', kind: 'reply', key: `message:${n}` },
      input: { customer: STUCK_CUSTOMER, message: `message ${n}` },
    })),
    ...Array.from({ length: REPORTS }, (_, n) => ({
      ...{ queue: 'reports', kind: 'monthly-report', key: `report:${n}`, input: { part: n } },
    })),
  ])
  await store.schedules.declare({
    ...{ name: 'nightly-report', kind: 'monthly-report', queue: 'reports', expression: '30 2 * * *' },
    ...{ timeZone: 'Europe/Berlin', description: 'Revenue of the day, for finance', overlap: 'skip' },
  })
  await store.schedules.declare({
    ...{ name: 'newsletter', kind: 'send-email', queue: 'catalogue', expression: '* * * * *' },
  })
  // Its kind was renamed in the program and not here: the job is parked, and its key keeps it at one.
  await store.schedules.declare({
    ...{
      name: 'exchange-rates',
      kind: 'import-rates',
      queue: 'billing',
      key: 'rates',
      expression: '* * * * *',
    },
    description: 'Exchange rates of the central bank',
  })
  await addLateSchedule(store)
}

/**
 * Its input has the customer as an object, of which the kind cannot make a target: no job can be enqueued, so the slot stays due and
 * the schedule becomes late. The rule for it alone lets people see that in the first minute, not after two rounds of the scheduler.
 */
async function addLateSchedule(store: App['store']): Promise<void> {
  await store.schedules.declare({
    ...{ name: LATE_SCHEDULE, kind: 'reply', queue: 'conversations', expression: '@every 10s' },
    ...{ input: { customer: { id: 2207 }, message: 'Are you still there?' }, overlap: 'skip' },
    description: 'Asks a customer who has left the conversation',
  })
  await store.alerts.setRule('schedule_late', { threshold: 0.25 }, { subject: LATE_SCHEDULE })
}

/** What arrives in the shop at one step of the load. */
export async function serveShop(app: App, step: number): Promise<void> {
  if (step % 6 === 0) await app.enqueue(capturePayment, { order: 70_000 + step, amount: 19.9 })
  if (step % 4 === 1)
    await app.enqueue(reply, { customer: 1_000 + (step % 40), message: `message of step ${step}` })
  // The key keeps it at two at a time.
  if (step % 10 === 2) await app.enqueue(transcodeVideo, { video: step % 2 })
}
