/** The leases of workers: opened, kept alive, closed. */
import fc from 'fast-check'
import type { Renewed } from 'holdfast/store'
import { LEASE_GIVEN_UP } from '../../src/domain/port.js'
import {
  answerOf,
  type CommandArbitrary,
  command,
  expectAnswer,
  expectEqual,
  okOf,
  pickFrom,
} from './command.js'
import type { Model } from './model.js'
import { closeLease, renew } from './verbs.js'

export const WORKER = 'w'

export const leaseArbitrary = fc.oneof(
  { weight: 3, arbitrary: fc.constant('newest' as const) },
  { weight: 1, arbitrary: fc.nat(9) },
  { weight: 2, arbitrary: fc.constant('none' as const) },
)

/** A worker's lease it has open, or had open once. */
export function pickLease(model: Model, which: number | 'newest' | 'none'): number | null {
  if (which === 'none') return null
  return (which === 'newest' ? model.workerLeases.at(-1) : pickFrom(model.workerLeases, which)) ?? null
}

export const LEASE_COMMANDS: CommandArbitrary[] = [
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
      model.leases.set(id, { id, leaseMs, expiresAt, jobId: null, ended: false, revoked: [] })
      model.workerLeases.push(id)
    },
  }),
  ...command({
    name: 'renew',
    weight: 2,
    args: fc.record({
      picks: fc.array(fc.nat(20), { minLength: 1, maxLength: 3 }),
      acknowledges: fc.boolean(),
    }),
    async run(model, real, { picks, acknowledges }) {
      const known = [
        ...new Set([
          ...model.workerLeases,
          ...model.leases.keys(),
          ...model.fences.map(({ lease }) => lease),
        ]),
      ]
      const leases = [...new Set(picks.map((n) => pickFrom(known, n) ?? 999))]
      const seen = acknowledges ? [...model.leases.values()].flatMap(({ revoked }) => revoked) : []
      const answer = await answerOf(real, `renew ${leases}, seen ${JSON.stringify(seen)}`, () =>
        real.store.work.renew(leases, { seen }),
      )
      const byLease = new Map(okOf<Renewed[]>(answer).map((one) => [one.lease, one]))
      const got = leases.map((lease) => {
        const one = byLease.get(lease)
        return (
          one && {
            ...one,
            expiresAt: one.expiresAt?.getTime() ?? null,
            cancel: [...one.cancel].sort((left, right) => left.jobId - right.jobId),
          }
        )
      })
      expectEqual('what was renewed', got, renew(model, leases, seen))
    },
  }),
  ...command({
    name: 'close_lease',
    weight: 1,
    args: fc.record({ n: fc.nat(20), reason: fc.constantFrom('shutdown', LEASE_GIVEN_UP, 'closed by hand') }),
    async run(model, real, { n, reason }) {
      const lease = pickFrom([...model.leases.keys(), ...model.workerLeases], n) ?? 999
      const answer = await answerOf(real, `close_lease ${lease}, ${reason}`, () =>
        real.store.work.closeLease(lease, reason),
      )
      expectAnswer(answer, { ok: closeLease(model, lease, reason) })
    },
  }),
]
