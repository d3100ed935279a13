/** Workers: leases, claims, starts, and every way to finish, also too late and twice. */
import fc from 'fast-check'
import type { ClaimedJob, Ended, Renewed } from 'holdfast'
import { OUTCOMES } from '../../src/domain/states.js'
import { PRESET_NAMES, type PresetName } from '../../src/domain/words.js'
import {
  answerOf,
  type CommandArbitrary,
  command,
  expectAnswer,
  expectEqual,
  given,
  hasJob,
  pickArbitrary,
  pickFrom,
  pickJob,
  type Real,
  sometimes,
} from './command.js'
import { fenceArbitrary, hasFence, pickFence } from './fences.js'
import { isRunning, jobsOf, type Model, type ModelJob } from './model.js'
import {
  type Claimed,
  claim,
  claimById,
  closeLease,
  type EndingAsked,
  finish,
  renew,
  start,
} from './verbs.js'

const WORKER = 'w'
const leaseArbitrary = fc.oneof(
  { weight: 3, arbitrary: fc.constant('newest' as const) },
  { weight: 1, arbitrary: fc.nat(9) },
  { weight: 2, arbitrary: fc.constant('none' as const) },
)

/** A worker's lease it has open, or had open once. */
function pickLease(model: Model, which: number | 'newest' | 'none'): number | null {
  if (which === 'none') return null
  return (which === 'newest' ? model.workerLeases.at(-1) : pickFrom(model.workerLeases, which)) ?? null
}

/** A queue with something to claim, if there is one, and others before or behind it. */
function queuesToClaim(
  model: Model,
  busy: number,
  others: readonly PresetName[],
  busyFirst: boolean,
): PresetName[] {
  const claimable = jobsOf(
    model,
    ({ state, dueAt }) => state === 'queued' || (dueAt ?? Number.NaN) <= model.now,
  )
  const queue = pickFrom([...new Set(claimable.map((job) => job.queue))], busy) ?? 'default'
  return [...new Set(busyFirst ? [queue, ...others] : [...others, queue])]
}

/** The lease of a claimed job is the database's to number; the rest must be what the model says. */
function expectClaimed(model: Model, real: readonly ClaimedJob[], claimed: readonly Claimed[]): void {
  const got = real.map(
    ({ jobId, attempt, priority, failures, losses, interruptions, expiresAt, progress }) => {
      const { lastProgressAt: _when, ...said } = progress ?? { lastProgressAt: null }
      return {
        jobId,
        attempt,
        priority,
        failures,
        losses,
        interruptions,
        expiresAt: expiresAt?.getTime() ?? null,
        progress: progress && said,
      }
    },
  )
  const wanted = claimed.map((one) => claimedRow(model, one))
  expectEqual('what was claimed, in order,', got, wanted)
  claimed.forEach(({ job, leaseMs }, index) => {
    const { lease } = real[index] as ClaimedJob
    if (leaseMs !== null) {
      expectEqual('whether a lease of its own was there before', model.leases.has(lease), false)
      model.leases.set(lease, { id: lease, leaseMs, expiresAt: model.now + leaseMs, jobId: job.id })
      job.lease = lease
    }
    expectEqual('the lease', lease, job.lease)
    model.fences.push({ jobId: job.id, attempt: job.attempt, lease })
  })
}

function claimedRow({ now }: Model, { job, leaseMs }: Claimed) {
  const { id: jobId, attempt, priority, failures, losses, interruptions } = job
  const { lastReport: _ours, ...said } = job.progress ?? { lastReport: '' }
  const progress = attempt > 1 && job.progress ? said : null
  const expiresAt = leaseMs === null ? null : now + leaseMs
  return { jobId, attempt, priority, failures, losses, interruptions, expiresAt, progress }
}

/** Several endings in one call, each job in it once, except that an old fence of the same job may come along. */
async function finishAll(model: Model, real: Real, endings: readonly EndingAsked[]): Promise<void> {
  const seen = new Set<string>()
  const batch = endings.filter(({ jobId, attempt }) => {
    const isNew = !seen.has(`${jobId} ${attempt}`)
    seen.add(`${jobId} ${attempt}`)
    return isNew
  })
  if (batch.length === 0) return
  const answer = await answerOf(real, `finish ${JSON.stringify(batch)}`, () =>
    real.store.work.finish(
      batch.map(({ errorMessage, ...ending }) => ({
        ...ending,
        ...(errorMessage === undefined ? {} : { error: new Error(errorMessage) }),
      })),
    ),
  )
  const ended = 'ok' in answer ? (answer.ok as Ended[]) : []
  batch.forEach((ending, index) => {
    const { accepted, state, due } = finish(model, ending)
    const got = ended[index]
    const said = { accepted: got?.accepted, state: got?.state, isDelayed: got?.dueAt instanceof Date }
    expectEqual(`the answer for job ${ending.jobId}`, said, { accepted, state, isDelayed: due !== null })
    if (due === null || !got?.dueAt) return
    const dueAt = got.dueAt.getTime()
    // The two sides round the last millisecond of the jitter differently.
    const isWithin = dueAt >= due.earliest - 1 && dueAt <= due.latest + 1
    expectEqual(`whether ${dueAt} is within ${due.earliest} and ${due.latest}`, isWithin, true)
    const job = model.jobs.get(ending.jobId) as ModelJob
    job.dueAt = dueAt
  })
}

const ending = fc.record({
  fence: fenceArbitrary,
  outcome: fc.constantFrom(...OUTCOMES, 'failed' as const, 'failed' as const),
  retryable: sometimes(fc.boolean(), 2),
  delayMs: fc.constantFrom(0, 700, 60_000),
  reason: sometimes(fc.constantFrom('shutdown', 'because'), 2),
  errorMessage: sometimes(fc.constant('boom'), 2),
})

export const WORK_COMMANDS: CommandArbitrary[] = [
  ...command({
    name: 'open_lease',
    weight: 1,
    args: fc.constantFrom(30_000, 5_000, 600_000),
    async run(model, real, leaseMs) {
      const answer = await answerOf(real, `open_lease ${leaseMs}`, () =>
        real.store.work.openLease(WORKER, leaseMs),
      )
      const expiresAt = model.now + leaseMs
      const { lease: id } = ('ok' in answer ? answer.ok : {}) as { lease: number }
      expectAnswer(answer, { ok: { lease: id, expiresAt: new Date(expiresAt) } })
      model.leases.set(id, { id, leaseMs, expiresAt, jobId: null })
      model.workerLeases.push(id)
    },
  }),
  ...command({
    name: 'claim',
    weight: 10,
    args: fc.record({
      busy: fc.nat(9),
      others: fc.shuffledSubarray([...PRESET_NAMES], { maxLength: 2 }),
      busyFirst: fc.boolean(),
      limit: fc.integer({ min: 1, max: 6 }),
      lease: leaseArbitrary,
      leaseMs: sometimes(fc.constantFrom(1_000, 45_000), 3),
    }),
    async run(model, real, { busy, others, busyFirst, limit, lease: which, leaseMs }) {
      const queues = queuesToClaim(model, busy, others, busyFirst)
      const lease = pickLease(model, which)
      const asked = { worker: WORKER, queues, limit, ...given({ lease: lease ?? undefined, leaseMs }) }
      const answer = await answerOf(real, `claim ${JSON.stringify(asked)}`, () =>
        real.store.work.claim(asked),
      )
      const claimed = claim(model, { lease, queues, limit, leaseMs: leaseMs ?? null })
      if (claimed === 'lease_gone') expectAnswer(answer, { refused: 'lease_gone' })
      else expectClaimed(model, okOf<ClaimedJob[]>(answer), claimed)
    },
  }),
  ...command({
    name: 'claim_by_id',
    weight: 3,
    args: fc.record({ pick: pickArbitrary, lease: leaseArbitrary }),
    fits: (model, { pick }) => hasJob(model, pick, mayBeClaimed),
    async run(model, real, { pick, lease: which }) {
      const jobId = pickJob(
        model,
        pick,
        (job) => job.state === 'queued' || job.dueAt !== null || isRunning(job),
      )
      const lease = pickLease(model, which)
      const answer = await answerOf(real, `claim_by_id ${jobId} under ${lease}`, () =>
        real.store.work.claimById(jobId, { worker: WORKER, ...given({ lease: lease ?? undefined }) }),
      )
      const claimed = claimById(model, jobId, { lease, leaseMs: null })
      if (claimed === 'lease_gone') expectAnswer(answer, { refused: 'lease_gone' })
      else if (claimed === undefined) expectAnswer(answer, { ok: undefined })
      else expectClaimed(model, [okOf<ClaimedJob>(answer)], [claimed])
    },
  }),
  ...command({
    name: 'start',
    weight: 2,
    args: fc.array(fenceArbitrary, { minLength: 1, maxLength: 3 }),
    fits: (model, picks) => picks.every((pick) => hasFence(model, pick)),
    async run(model, real, picks) {
      const fences = [
        ...new Map(picks.map((pick) => pickFence(model, pick)).map((one) => [one.jobId, one])).values(),
      ]
      const answer = await answerOf(real, `start ${JSON.stringify(fences)}`, () =>
        real.store.work.start(fences),
      )
      expectEqual(
        'what was started',
        okOf<number[]>(answer).sort(ascending),
        start(model, fences).sort(ascending),
      )
    },
  }),
  ...command({
    name: 'finish',
    weight: 8,
    args: fc.array(ending, { minLength: 1, maxLength: 4, size: 'max' }),
    fits: (model, endings) => endings.every(({ fence }) => hasFence(model, fence)),
    async run(model, real, endings) {
      const asked = endings.map(({ fence, outcome, delayMs, ...rest }) => ({
        ...pickFence(model, fence),
        outcome,
        ...given(rest),
        ...(outcome === 'snoozed' ? { delayMs } : {}),
      }))
      await finishAll(model, real, asked)
    },
  }),
  ...command({
    name: 'renew',
    weight: 2,
    args: fc.array(fc.nat(20), { minLength: 1, maxLength: 3 }),
    async run(model, real, picks) {
      const known = [
        ...new Set([
          ...model.workerLeases,
          ...model.leases.keys(),
          ...model.fences.map(({ lease }) => lease),
        ]),
      ]
      const leases = [...new Set(picks.map((n) => pickFrom(known, n) ?? 999))]
      const answer = await answerOf(real, `renew ${leases}`, () => real.store.work.renew(leases))
      const byLease = new Map(okOf<Renewed[]>(answer).map((one) => [one.lease, one]))
      const got = leases.map((lease) => {
        const one = byLease.get(lease)
        return (
          one && {
            ...one,
            expiresAt: one.expiresAt?.getTime() ?? null,
            cancel: [...one.cancel].sort(ascending),
          }
        )
      })
      expectEqual('what was renewed', got, renew(model, leases))
    },
  }),
  ...command({
    name: 'close_lease',
    weight: 1,
    args: fc.nat(20),
    async run(model, real, n) {
      const lease = pickFrom([...model.leases.keys(), ...model.workerLeases], n) ?? 999
      const answer = await answerOf(real, `close_lease ${lease}`, () => real.store.work.closeLease(lease))
      expectAnswer(answer, { ok: closeLease(model, lease, 'shutdown') })
    },
  }),
]

const mayBeClaimed = (job: ModelJob) => job.state === 'queued' || job.dueAt !== null || isRunning(job)

const ascending = (left: number, right: number) => left - right

function okOf<T>(answer: { ok: unknown } | { refused: string }): T {
  if ('refused' in answer) throw new Error(`the database refused: ${answer.refused}, the model did not`)
  return answer.ok as T
}
