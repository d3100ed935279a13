/** Workers' words on a job they are still at. */
import fc from 'fast-check'
import type { Reported as RealReported } from 'holdfast/store'
import { given } from '../../src/json/given.js'
import { answerOf, type CommandArbitrary, command, expectAnswer, type Real, sometimes } from './command.js'
import { fenceArbitrary, hasFence, pickFence } from './fences.js'
import type { Model } from './model.js'
import { type ReportAsked, report } from './report.js'

/** Few phones, so that items meet; some items have none and are known by their content. */
const item = fc.oneof(
  fc.record({ phone: fc.nat(12), page: fc.nat(2) }),
  fc.record({ page: fc.nat(9) }),
) as fc.Arbitrary<Record<string, number>>

const args = fc.record({
  fence: fenceArbitrary,
  items: fc.array(item, { maxLength: 4, size: 'max' }),
  cursor: sometimes(fc.constantFrom(1, 2), 2),
  progress: sometimes(fc.constantFrom(1, 2), 2),
  tokens: sometimes(fc.constantFrom(5, 7)),
  extendMs: sometimes(fc.constantFrom(1_000, 120_000)),
  done: sometimes(fc.constant(true), 4),
  doneReason: sometimes(fc.constant('enough'), 4),
  next: fc.constantFrom('no more' as const, 'the same' as const, 'swapped' as const),
})

function comparable({ tokenLimit: _unused, expiresAt, ...rest }: RealReported) {
  return { ...rest, expiresAt: expiresAt?.getTime() ?? null }
}

export const REPORT_COMMANDS: CommandArbitrary[] = command({
  name: 'report',
  weight: 5,
  args,
  fits: (model, { fence }) => hasFence(model, fence),
  async run(model, real, { fence, next, ...rest }) {
    const asked: ReportAsked = { ...pickFence(model, fence), ...given(rest) }
    const { cursor, progress, ...others } = asked
    const swapped: ReportAsked = { ...others, ...given({ cursor: progress, progress: cursor }) }
    await send(model, real, asked)
    // Sent twice because the reply was lost, it must change nothing; a report that only resembles the last one counts.
    if (next !== 'no more') await send(model, real, next === 'swapped' ? swapped : asked)
  },
})

async function send(model: Model, real: Real, asked: ReportAsked): Promise<void> {
  const answer = await answerOf(real, `report ${JSON.stringify(asked)}`, () => real.store.work.report(asked))
  const said = report(model, asked)
  if (said === 'lease_lost') expectAnswer(answer, { refused: 'lease_lost' })
  else expectAnswer('ok' in answer ? { ok: comparable(answer.ok as RealReported) } : answer, { ok: said })
}
