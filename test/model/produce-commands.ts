/** Producers: one job or many, in a transaction of their own or in the caller's. */
import fc from 'fast-check'
import { given } from '../../src/json/given.js'
import { PRESET_NAMES } from '../../src/presets/presets.js'
import {
  type Answer,
  answerOf,
  type CommandArbitrary,
  command,
  expectAnswer,
  okOf,
  type Real,
  sometimes,
} from './command.js'
import type { Model } from './model.js'
import { enqueue, type NewJobAsked } from './operator.js'

/** Few of each, so that jobs meet. */
const queue = fc.constantFrom(...PRESET_NAMES, 'default' as const, 'target' as const, 'target' as const)
const target = fc.constantFrom('a', 'a', 'a', 'b')
const delayMs = fc.constantFrom(500, 0, 5_000, 90_000)

const newJob: fc.Arbitrary<NewJobAsked> = fc
  .record({
    queue,
    key: sometimes(fc.constantFrom('k1', 'k1', 'k1', 'k2'), 2),
    target: fc.option(target, { nil: undefined, freq: 3 }),
    subject: sometimes(fc.constantFrom('s1', 's2')),
    priority: fc.constantFrom(undefined, 10, 50, 100),
    delayMs: sometimes(delayMs, 5),
    pending: sometimes(fc.constant(true), 8),
    maxRetries: sometimes(fc.constantFrom(0, 1), 5),
    itemGoal: sometimes(fc.constantFrom(1, 3)),
  })
  .map(given) as fc.Arbitrary<NewJobAsked>

async function produce(
  model: Model,
  real: Real,
  jobs: readonly NewJobAsked[],
  how: 'one' | 'many' | 'in tx',
) {
  const { store } = real
  const asked = jobs.map((job) => ({ ...job, kind: 'work' }))
  const tx = {
    query: async (text: string, values: unknown[]) => ({ rows: await store.database.query(text, values) }),
  }
  const answer = await answerOf(real, `enqueue ${how} ${JSON.stringify(jobs)}`, () =>
    how === 'one'
      ? Promise.all(asked.map((job) => store.enqueue(job)))
      : store.enqueueMany(asked, how === 'many' ? {} : { tx }),
  )
  expectAnswer(answer, { ok: enqueue(model, jobs, idsIn(answer), how !== 'in tx') })
}

/** Several jobs for one target, the first of them late or held back, so that the line and the numbers differ in order. */
const line: fc.Arbitrary<NewJobAsked[]> = fc
  .record({
    queue: fc.constantFrom('target' as const, 'default' as const),
    late: fc.constantFrom({ delayMs: 500 }, { pending: true }),
    others: fc.integer({ min: 2, max: 3 }),
  })
  .map(({ queue, late, others }) => {
    const one: NewJobAsked = { queue, target: 'a' }
    return [{ ...one, ...late }, ...Array.from({ length: others }, () => one)]
  })

/** The same call with the same key, because its reply was lost: the same answer, and nothing is made. */
async function produceAgain(model: Model, real: Real, jobs: readonly NewJobAsked[]): Promise<void> {
  const idempotencyKey = `request ${real.trace.length}`
  const asked = jobs.map((job) => ({ ...job, kind: 'work' }))
  const send = () =>
    answerOf(real, `enqueue ${JSON.stringify(jobs)} as ${idempotencyKey}`, () =>
      real.store.enqueueMany(asked, { idempotencyKey }),
    )
  const answer = await send()
  expectAnswer(answer, { ok: enqueue(model, jobs, idsIn(answer), true) })
  expectAnswer(await send(), answer)
}

const idsIn = (answer: Answer) => okOf<{ jobId: number }[]>(answer).map(({ jobId }) => jobId)

export const PRODUCE_COMMANDS: CommandArbitrary[] = [
  ...command({
    name: 'enqueue',
    weight: 4,
    args: newJob,
    run: (model, real, job) => produce(model, real, [job], 'one'),
  }),
  ...command({
    name: 'enqueue_many',
    weight: 4,
    args: fc.array(newJob, { minLength: 1, maxLength: 5, size: 'max' }),
    run: (model, real, jobs) => produce(model, real, jobs, 'many'),
  }),
  ...command({
    name: 'enqueue_in_tx',
    weight: 2,
    args: fc.array(newJob, { minLength: 1, maxLength: 3, size: 'max' }),
    run: (model, real, jobs) => produce(model, real, jobs, 'in tx'),
  }),
  ...command({
    name: 'enqueue_line',
    weight: 2,
    args: line,
    run: (model, real, jobs) => produce(model, real, jobs, 'many'),
  }),
  ...command({
    name: 'enqueue_again',
    weight: 1,
    args: fc.array(newJob, { minLength: 1, maxLength: 3, size: 'max' }),
    run: produceAgain,
  }),
]
