/** Workers: claims, starts, and every way to finish, also too late and twice. */
import fc from 'fast-check'
import type { ClaimedJob, Ended, JobAttempt } from 'holdfast/store'
import { OUTCOMES } from '../../src/domain/states/states.js'
import { given } from '../../src/json/given.js'
import { PRESET_NAMES, type PresetName } from '../../src/presets/presets.js'
import {
  answerOf,
  type CommandArbitrary,
  command,
  expectAnswer,
  expectEqual,
  hasJob,
  okOf,
  pickArbitrary,
  pickFrom,
  pickJob,
  type Real,
  sometimes,
} from './command.js'
import { fenceArbitrary, hasFence, pickFence } from './fences.js'
import { leaseArbitrary, pickLease, WORKER } from './lease-commands.js'
import { isRunning, jobsOf, type Model, type ModelJob } from './model.js'
import { advanceBy } from './upkeep-commands.js'
import { type Claimed, claim, claimById, type EndingAsked, finish, start } from './verbs.js'

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
      model.leases.set(lease, {
        id: lease,
        leaseMs,
        expiresAt: model.now + leaseMs,
        jobId: job.id,
        ended: false,
        revoked: [],
      })
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

async function claimOne(model: Model, real: Real, jobId: number, lease: number | null): Promise<void> {
  const answer = await answerOf(real, `claim_by_id ${jobId} under ${lease}`, () =>
    real.store.work.claimById(jobId, { worker: WORKER, ...given({ lease: lease ?? undefined }) }),
  )
  const claimed = claimById(model, jobId, { lease, leaseMs: null })
  if (claimed === 'lease_gone') expectAnswer(answer, { refused: 'lease_gone' })
  else if (claimed === undefined) expectAnswer(answer, { ok: undefined })
  else expectClaimed(model, [okOf<ClaimedJob>(answer)], [claimed])
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
    name: 'claim',
    weight: 10,
    args: fc.record({
      busy: fc.nat(9),
      others: fc.shuffledSubarray([...PRESET_NAMES], { maxLength: 2 }),
      busyFirst: fc.boolean(),
      limit: fc.integer({ min: 1, max: 6 }),
      lease: leaseArbitrary,
      leaseMs: sometimes(fc.constantFrom(1_000, 45_000), 3),
      tooLate: sometimes(fc.constant(true), 10),
    }),
    async run(model, real, { busy, others, busyFirst, limit, lease: which, leaseMs, tooLate }) {
      const queues = queuesToClaim(model, busy, others, busyFirst)
      const lease = pickLease(model, which)
      // The moment a lease runs out is the first at which it is worth nothing.
      const left = (model.leases.get(lease ?? 0)?.expiresAt ?? 0) - model.now
      if (tooLate && left > 0) await advanceBy(model, real, left)
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
      await claimOne(model, real, jobId, pickLease(model, which))
    },
  }),
  ...command({
    name: 'crash_loop',
    weight: 2,
    args: fc.record({ pick: pickArbitrary, times: fc.integer({ min: 2, max: 3 }) }),
    fits: (model, { pick }) => hasJob(model, { ...pick, which: 'fitting' }, isRunning),
    async run(model, real, { pick, times }) {
      // Each worker that takes it dies; left to chance, hardly any job would ever lose three leases in a row.
      const jobId = pickJob(model, { ...pick, which: 'fitting' }, isRunning)
      for (let time = 0; time < times; time += 1) {
        const { expiresAt } = model.leases.get(model.jobs.get(jobId)?.lease ?? 0) ?? { expiresAt: 0 }
        await advanceBy(model, real, Math.max(1, expiresAt - model.now))
        await claimOne(model, real, jobId, null)
      }
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
        okOf<JobAttempt[]>(answer)
          .map(({ jobId }) => jobId)
          .sort(byNumber),
        start(model, fences).sort(byNumber),
      )
    },
  }),
  ...command({
    name: 'finish',
    weight: 12,
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
]

const byNumber = (left: number, right: number) => left - right
const mayBeClaimed = (job: ModelJob) => job.state === 'queued' || job.dueAt !== null || isRunning(job)
