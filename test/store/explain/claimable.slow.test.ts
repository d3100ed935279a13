/**
 * The usual run is the same each time; HOLDFAST_EXPLAIN_RUNS makes it longer and different, HOLDFAST_EXPLAIN_SEED repeats one.
 */
import { expect, it } from 'vitest'
import { pinnedStore } from '../../support/world.js'
import { compare } from './compare.js'

const { HOLDFAST_EXPLAIN_RUNS: runs, HOLDFAST_EXPLAIN_SEED: chosen } = process.env
const seed = Number(chosen ?? (runs === undefined ? 11 : Math.floor(Math.random() * 2 ** 31)))

it('a job has a blocking reason if and only if no claim would give it out', {
  timeout: 600_000,
}, async () => {
  const store = await pinnedStore('postgres', { connections: 1 })
  const { disagreement, seen } = await compare(store, { seed, worlds: Number(runs ?? 120) })
  if (runs !== undefined) console.info(`seed ${seed}\n${[...seen].sort().join('\n')}`)
  if (disagreement !== null) throw new Error(`seed ${seed}: ${disagreement}`)
  const missing = WORLDS_MUST_HAVE.filter((one) => ![...seen].some((each) => one.test(each)))
  expect(missing, 'the worlds leave nothing out').toEqual([])
})

/** Each place, blocked by each thing that can block it there, and free. */
const WORLDS_MUST_HAVE = [
  /^queued free/,
  /^queued .*queue_full/,
  /^queued .*tenant_full/,
  /^queued .*rate_reached/,
  /^queued queue_paused/,
  /^scheduled free/,
  /^scheduled scheduled/,
  /^scheduled rate_reached/,
  /^scheduled target_held/,
  /^retrying free/,
  /^retrying retrying/,
  /^waiting free/,
  /^waiting target_held/,
  /^(assigned|running) free/,
  /^(assigned|running) (assigned|running)/,
  /^(assigned|running) lease_over/,
  /^(assigned|running) (queue_full|tenant_full|queue_paused|rate_reached)/,
  /^pending pending/,
  /^paused paused/,
  /^errored errored/,
  /^parked parked/,
  /^succeeded ended/,
  /^failed ended/,
  /^canceled ended/,
]
