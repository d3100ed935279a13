/** Demo steps that run jobs: batches, a retry, a frozen worker, and a target whose jobs run one at a time. */
import { setTimeout as wait } from 'node:timers/promises'
import { isEnded } from '../../domain/states/states.js'
import type { ClaimedJob, Ended } from '../../store/rows.js'
import { type DemoRun, idsText, labelOf } from './show.js'
import { CARD_PROBLEM, QUEUE } from './worker.js'

/** The shortest lease there is. */
const FROZEN_LEASE_MS = 1_000

export async function claimInBatches({ stage, anna }: DemoRun, jobIds: readonly number[]): Promise<void> {
  await stage.step('A worker claims them in batches')
  const batches: { claimed: number[]; succeeded: number }[] = []
  await anna.workUntil(allEnded(jobIds), ({ jobs, ended }) => {
    const claimed = jobs.map(({ jobId }) => jobId)
    const succeeded = ended.filter(({ state }) => state === 'succeeded').length
    batches.push({ claimed, succeeded })
    stage.act(anna.name, `claimed ${claimed.length}`, `${idsText(claimed)}, ${succeeded} succeeded`, 'good')
  })
  stage.record('batches', { worker: anna.name, batches })

  function allEnded(ids: readonly number[]): () => boolean {
    return () => {
      const done = new Set(batches.flatMap(({ claimed }) => claimed))
      return ids.every((id) => done.has(id))
    }
  }
}

export async function failAndRetry({ store, stage, anna }: DemoRun): Promise<void> {
  await stage.step('A failure is tried again, later')
  const { jobId } = await store.enqueue({ queue: QUEUE, kind: 'charge-card', input: { order: 7 } })
  const attempts: { attempt: number; state: string | null; waitMs: number | null }[] = []
  const over = () => attempts.some(({ state }) => state === 'succeeded')
  await anna.workUntil(over, ({ jobs, ended }) => {
    const [job] = jobs
    const [end] = ended
    if (job?.jobId !== jobId || end === undefined) return
    const waitMs = end.dueAt === null ? null : Math.max(0, end.dueAt.getTime() - Date.now())
    attempts.push({ attempt: job.attempt, state: end.state, waitMs })
    const good = end.state === 'succeeded'
    const error = good ? '' : `: ${CARD_PROBLEM}`
    stage.act(
      anna.name,
      labelOf(job),
      `attempt ${job.attempt} ${good ? 'succeeded' : 'failed'}${error}`,
      good ? 'good' : 'bad',
    )
    if (waitMs === null) return
    stage.quote(`It waits ${(waitMs / 1000).toFixed(1)} s before it can be claimed again.`)
    stage.status('waiting for its time')
  })
  stage.record('retry', { jobId, attempts })
}

export async function freezeWorker({ store, stage, anna, signal }: DemoRun): Promise<number> {
  await stage.step('A frozen worker can do no harm')
  const { jobId } = await store.enqueue({ queue: QUEUE, kind: 'export', input: { year: 2025 } })
  const claimed = await store.work.claim({ worker: 'bert', queues: [QUEUE], leaseMs: FROZEN_LEASE_MS })
  const frozen = claimed.find((job) => job.jobId === jobId)
  if (frozen === undefined) throw new Error(`job ${jobId} was not there to claim`)
  stage.act('bert', labelOf(frozen), `attempt 1 claimed, then bert freezes`)
  stage.status('its lease runs out after one second')
  await wait(FROZEN_LEASE_MS / 2, undefined, { signal })

  let taken: ClaimedJob | undefined
  let end: Ended | undefined
  await anna.workUntil(
    () => end?.accepted === true,
    ({ jobs, ended }) => {
      taken = jobs.find((job) => job.jobId === jobId)
      end = ended.find((job) => job.jobId === jobId)
    },
  )
  stage.act(
    'anna',
    labelOf(frozen),
    `lease ran out: attempt ${taken?.attempt} claimed, ${end?.state}`,
    'good',
  )

  const [late] = await store.work.finish([{ ...frozen, outcome: 'succeeded', result: { rows: 1 } }])
  stage.act('bert', labelOf(frozen), 'wakes up and reports success: refused', 'bad')
  stage.quote(`LeaseLost: ${late?.error?.message.replace('; ', ';\n           ')}`)
  stage.record('frozen', {
    jobId,
    frozen: { worker: 'bert', attempt: frozen.attempt },
    taken: { worker: anna.name, attempt: taken?.attempt, state: end?.state },
    late: { accepted: late?.accepted, code: late?.error?.code, message: late?.error?.message },
  })
  return jobId
}

export async function serializeTarget({ store, stage, anna }: DemoRun, waitingElse: number): Promise<void> {
  await stage.step('Jobs of one target go one after the other')
  const transfer = { queue: QUEUE, kind: 'transfer', target: 'account:42', priority: 50 }
  const made = await store.enqueueMany([transfer, transfer])
  const [first, second] = made.map(({ jobId }) => jobId) as [number, number]
  stage.fact('good', `#${first} and #${second}: two transfers for target account:42`)

  const claimed = await anna.claim(10)
  const held = claimed.map(({ jobId }) => jobId)
  stage.act(anna.name, 'asks for 10', `gets ${idsText(held)}, but not #${second}`)
  const reasons = await store.read.explain(second)
  stage.act('you', `why not #${second}?`, reasons[0]?.sentence ?? '', 'plain')

  const order: number[] = []
  const note = (ended: readonly Ended[]) => {
    for (const { jobId, state } of ended) if (state !== null && isEnded(state)) order.push(jobId)
  }
  note(await anna.finish(claimed))
  await anna.workUntil(
    () => order.includes(second) && order.includes(waitingElse),
    ({ ended }) => note(ended),
  )
  stage.act(anna.name, `#${first}, then #${second}`, 'both succeeded, in this order', 'good')
  stage.record('target', { target: transfer.target, first, second, claimedTogether: held, order })
  stage.record('explain', { jobId: second, reasons })
}
