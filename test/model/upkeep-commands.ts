/** Time, and what the system does by itself. */
import fc from 'fast-check'
import { answerOf, type CommandArbitrary, command, expectAnswer, type Real } from './command.js'
import type { Model } from './model.js'
import { age, promote, reclaim, settleTargets } from './verbs.js'

const PASSES = { promote, reclaim, settleTargets } as const
const NAMES = { promote: 'promote', reclaim: 'reclaim', settleTargets: 'settle_targets' } as const

const passes = (['promote', 'reclaim', 'settleTargets'] as const).flatMap((pass) =>
  command({
    name: NAMES[pass],
    weight: 1,
    args: fc.constant(null),
    async run(model, real) {
      const answer = await answerOf(real, NAMES[pass], () => real.store.upkeep[pass]())
      expectAnswer(answer, { ok: PASSES[pass](model) })
    },
  }),
)

const aging = command({
  name: 'age',
  weight: 2,
  args: fc.record({
    afterMs: fc.constantFrom(0, 1_000, 3_600_000),
    step: fc.constantFrom(10, 45),
    cap: fc.constantFrom(100, 60),
    everyMs: fc.constantFrom(0, 300_000),
  }),
  async run(model, real, options) {
    const answer = await answerOf(real, `age ${JSON.stringify(options)}`, () =>
      real.store.upkeep.age(options),
    )
    expectAnswer(answer, { ok: age(model, options) })
  },
})

/** To the very moment something falls due or runs out, to just before it, or by a fixed step. */
type Advance = { by: number } | { to: 'due' | 'expiry'; less: 0 | 1 }

function msUntil(model: Model, advance: Advance): number {
  if ('by' in advance) return advance.by
  const times =
    advance.to === 'due'
      ? [...model.jobs.values()].map(({ dueAt }) => dueAt ?? 0)
      : [...model.leases.values()].map(({ expiresAt }) => expiresAt)
  const ahead = times.filter((time) => time > model.now)
  return ahead.length === 0 ? 1_000 : Math.min(...ahead) - model.now - advance.less
}

export async function advanceBy(model: Model, real: Real, ms: number): Promise<void> {
  await answerOf(real, `the clock goes on by ${ms} ms`, () => real.store.clock.advance(ms))
  model.now += ms
}

const time = command<Advance>({
  name: 'advance',
  weight: 5,
  args: fc.oneof(
    fc.record({
      to: fc.constantFrom('due' as const, 'expiry' as const),
      less: fc.constantFrom(0 as const, 0 as const, 1 as const),
    }),
    fc.record({ by: fc.constantFrom(1, 400, 10_000, 60_000, 3_600_000) }),
  ),
  async run(model, real, advance) {
    await advanceBy(model, real, msUntil(model, advance))
  },
})

export const UPKEEP_COMMANDS: CommandArbitrary[] = [...passes, ...aging, ...time]
