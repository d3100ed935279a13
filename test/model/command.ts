/** One step of a sequence: what it asks is chosen beforehand, which job it means only when its turn has come. */
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { HoldfastError } from 'holdfast'
import type { Store } from 'holdfast/store'
import type { PinnedClock } from 'holdfast/testing'
import type { State } from '../../src/domain/states/states.js'
import { checkSteps, expectSame } from './check.js'
import type { Coverage } from './coverage.js'
import { jobsOf, type Model, type ModelJob } from './model.js'
import type { Refused } from './operator.js'

export interface Real {
  readonly store: Store & { readonly clock: PinnedClock }
  readonly coverage: Coverage
  /** What was done so far, in words, for whoever reads a counterexample. */
  readonly trace: string[]
}

export interface Definition<Args> {
  readonly name: string
  /** How often it comes, compared with the others. */
  readonly weight: number
  readonly args: fc.Arbitrary<Args>
  /** Left out where it would have nothing to do; always there when it is not said. */
  readonly fits?: (model: Model, args: Args) => boolean
  run(model: Model, real: Real, args: Args): Promise<void>
}

export type CommandArbitrary = fc.Arbitrary<fc.AsyncCommand<Model, Real>>

export function command<Args>(definition: Definition<Args>): CommandArbitrary[] {
  const { name, weight, args, fits, run } = definition
  const arbitrary = args.map((chosen) => ({
    check: (model: Model) => fits?.(model, chosen) ?? true,
    async run(model: Model, real: Real) {
      real.coverage.count('command', name)
      await run(model, real, chosen)
      checkSteps(model, real.coverage)
      await expectSame(model, real.store, real.trace.length)
    },
    toString: () => `\n  ${name} ${JSON.stringify(chosen)}`,
  }))
  return Array.from({ length: weight }, () => arbitrary)
}

export type Answer = { readonly ok: unknown } | Refused

/** The answer of a verb, or the refusal a caller would get. Any other error is nobody's plan. */
export async function answerOf(real: Real, words: string, call: () => Promise<unknown>): Promise<Answer> {
  real.trace.push(words)
  const answer = await call().then(
    (ok): Answer => ({ ok }),
    (error: unknown): Answer => {
      if (!(error instanceof HoldfastError)) throw error
      const { state } = error.details as { state?: State }
      return { refused: error.code, ...(state === undefined ? {} : { state }) }
    },
  )
  real.trace[real.trace.length - 1] = `${words} → ${brief(answer)}`
  if ('refused' in answer) real.coverage.count('refusal', answer.refused)
  return answer
}

export function expectAnswer(real: Answer, model: Answer): void {
  expectEqual('the answer', real, model)
}

export function okOf<T>(answer: Answer): T {
  if ('refused' in answer) throw new Error(`the database refused: ${answer.refused}, the model did not`)
  return answer.ok as T
}

/** A failure shows both sides whole: it is read in the story of a sequence, not in an editor. */
export function expectEqual(what: string, database: unknown, model: unknown): void {
  if (isDeepStrictEqual(database, model)) return
  throw new Error(
    `${what} differs:\n  database ${JSON.stringify(database)}\n  model    ${JSON.stringify(model)}`,
  )
}

/** Which job is meant: one the command fits if there is any, now and then any other, rarely one that never was. */
export type Pick = PickOf<'fitting' | 'any' | 'unknown'>

export interface PickOf<Which extends string> {
  readonly n: number
  readonly which: Which
}

/** One of these sorts, as often as its weight says, and a number for which of that sort. */
export function picks<Which extends string>(
  weights: Readonly<Record<Which, number>>,
): fc.Arbitrary<PickOf<Which>> {
  const sorts = Object.entries(weights) as [Which, number][]
  return fc.record({
    n: fc.nat(99),
    which: fc.oneof(...sorts.map(([which, weight]) => ({ weight, arbitrary: fc.constant(which) }))),
  })
}

export const pickArbitrary = picks({ fitting: 16, any: 3, unknown: 1 })

const UNKNOWN_JOB = 1_000_000_000

/** Whether there is a job of the kind that is meant. */
export function hasJob(model: Model, { which }: Pick, fits: (job: ModelJob) => boolean): boolean {
  return which !== 'fitting' || jobsOf(model, fits).length > 0
}

export function pickJob(model: Model, { n, which }: Pick, fits: (job: ModelJob) => boolean): number {
  if (which === 'unknown') return UNKNOWN_JOB
  const jobs = jobsOf(model, which === 'fitting' ? fits : () => true)
  return pickFrom(jobs, n)?.id ?? UNKNOWN_JOB
}

export function pickFrom<T>(list: readonly T[], n: number): T | undefined {
  return list[n % Math.max(1, list.length)]
}

/** Left out most of the time: a value comes once in `outOf`. */
export function sometimes<T>(arbitrary: fc.Arbitrary<T>, outOf = 3): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: outOf - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary })
}

/** An answer in a story: without the fields that say nothing. */
function brief(answer: Answer): string {
  return JSON.stringify(
    'ok' in answer ? (answer.ok ?? 'nothing') : answer,
    (_name, value: unknown) => value ?? undefined,
  )
}
