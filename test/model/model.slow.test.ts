/**
 * Random sequences of every command, each answer and each job compared with the model. The usual run is the same each time, so
 * that it fails only over a change; HOLDFAST_MODEL_RUNS makes it longer and different, HOLDFAST_MODEL_SEED repeats one.
 */
import { describe, expect, it } from 'vitest'
import { legalMoves } from '../../src/domain/states/moves.js'
import { ATTEMPT_OUTCOMES, STATES } from '../../src/domain/states/states.js'
import { type Driver, pinnedStore } from '../support/world.js'
import { Coverage } from './coverage.js'
import { createQueues, findDisagreement } from './sequences.js'

const COMMANDS =
  `advance age boost cancel claim claim_by_id close_lease crash_loop discard enqueue enqueue_again enqueue_in_tx
  enqueue_line enqueue_many finish open_lease pause_queue promote publish reclaim renew report resume resume_queue retry set_priority settle_targets
  skip start`.split(/\s+/)
const LENGTH = 140
const USUAL_SEED = 3

const { HOLDFAST_MODEL_RUNS: runs, HOLDFAST_MODEL_SEED: chosen } = process.env
const seed = Number(chosen ?? (runs === undefined ? USUAL_SEED : Math.floor(Math.random() * 2 ** 31)))
const sequences: Record<Driver, number> = {
  postgres: Number(runs ?? 60),
  // The same SQL, seven times slower: enough to see that it is the same.
  pglite: runs === undefined ? 6 : Math.ceil(Number(runs) / 7),
}

async function run(driver: Driver): Promise<Coverage> {
  const world = await pinnedStore(driver)
  await createQueues(world)
  const coverage = new Coverage()
  console.info(`${sequences[driver]} sequences on ${driver}: HOLDFAST_MODEL_SEED=${seed}`)
  const disagreement = await findDisagreement(world, coverage, {
    seed,
    sequences: sequences[driver],
    commands: LENGTH,
  })
  if (runs !== undefined) console.info(coverage.summary())
  if (disagreement !== null) throw new Error(disagreement)
  return coverage
}

describe('any sequence of commands does what the state machine says', () => {
  const timeout = (driver: Driver) => 60_000 + sequences[driver] * 5_000

  it('on Postgres, and the sequences leave nothing out', { timeout: timeout('postgres') }, async () => {
    const coverage = await run('postgres')
    const missing = (all: readonly string[], seen: Record<string, number>) =>
      all.filter((one) => !(one in seen))
    expect(missing(COMMANDS, coverage.seen('command'))).toEqual([])
    expect(missing(ATTEMPT_OUTCOMES, coverage.seen('outcome'))).toEqual([])
    expect(missing(STATES, coverage.seen('state'))).toEqual([])
    const refusals = ['key_taken', 'lease_gone', 'lease_lost', 'strict_queue', 'unknown_job', 'wrong_state']
    expect(missing(refusals, coverage.seen('refusal'))).toEqual([])
    const reasons = [
      'crashed',
      'exhausted',
      'not_retryable',
      'lease expired',
      'lease given up',
      'target_reached',
      'worker_done',
    ]
    expect(missing(reasons, coverage.seen('reason'))).toEqual([])
    // Some legal moves take a chain of rare events, so not all of them come in a short run.
    const moves = legalMoves().map(({ from, to }) => `${from ?? 'new'}>${to}`)
    expect(missing(moves, coverage.seen('move')).length).toBeLessThan(moves.length / 4)
  })

  it('on PGlite', { timeout: timeout('pglite') }, async () => {
    const coverage = await run('pglite')
    expect(Object.keys(coverage.seen('command')).length).toBeGreaterThan(COMMANDS.length / 2)
    expect(Object.keys(coverage.seen('outcome')).length).toBeGreaterThan(ATTEMPT_OUTCOMES.length / 2)
  })
})
