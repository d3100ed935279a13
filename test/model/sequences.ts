/** Runs random sequences against one schema, each from an empty one, and tells a failure as the story of its commands. */
import fc from 'fast-check'
import { PRESET_NAMES } from '../../src/presets/presets.js'
import { countLeases } from '../support/leases.js'
import type { World } from '../support/world.js'
import { expectSameStory } from './check.js'
import type { Real } from './command.js'
import type { Coverage } from './coverage.js'
import { LEASE_COMMANDS } from './lease-commands.js'
import { emptyModel } from './model.js'
import { OPERATE_COMMANDS } from './operate-commands.js'
import { PRODUCE_COMMANDS } from './produce-commands.js'
import { REPORT_COMMANDS } from './report-commands.js'
import { UPKEEP_COMMANDS } from './upkeep-commands.js'
import { WORK_COMMANDS } from './work-commands.js'

const START = Date.parse('2030-01-01T00:00:00Z')

const SHRINK_MS = 20_000

export interface Runs {
  readonly seed: number
  readonly sequences: number
  readonly commands: number
  /** Stop at the first failure instead of looking for the shortest. */
  readonly endOnFailure?: boolean
}

export async function createQueues({ queues }: World): Promise<void> {
  for (const preset of PRESET_NAMES) await queues.create(preset, { preset })
}

/** The queues stay, all else goes: a hundred times faster than another migration. Small numbers make short stories. */
async function startOver({ database, clock }: World): Promise<void> {
  await database.script(`
    delete from holdfast.job; delete from holdfast.ready; delete from holdfast.delayed; delete from holdfast.held;
    delete from holdfast.running; delete from holdfast.attempt; delete from holdfast.lease; delete from holdfast.dedup;
    delete from holdfast.lane; delete from holdfast.lane_todo; delete from holdfast.progress; delete from holdfast.item;
    delete from holdfast.revoked; delete from holdfast.idempotency; delete from holdfast.event; delete from holdfast.outbox;
    delete from holdfast.chore; update holdfast.queue set paused_at = null where paused_at is not null;
    select setval('holdfast.job_id_seq', 1, false);`)
  await countLeases(database, 1001)
  await clock.set(new Date(START))
}

/** Null, or what went wrong: the shortest sequence found, with the answers of the database. */
export async function findDisagreement(world: World, coverage: Coverage, runs: Runs): Promise<string | null> {
  const commands = fc.commands(
    [
      ...PRODUCE_COMMANDS,
      ...LEASE_COMMANDS,
      ...WORK_COMMANDS,
      ...REPORT_COMMANDS,
      ...OPERATE_COMMANDS,
      ...UPKEEP_COMMANDS,
    ],
    { maxCommands: runs.commands, size: 'max' },
  )
  // The last run that failed is the shortest, so its story is the one to tell.
  let story = ''
  let shrinkUntil = Number.POSITIVE_INFINITY
  const property = fc.asyncProperty(commands, async (sequence) => {
    // A failure is worth this much time to tell it shorter, not the patience of everybody.
    if (performance.now() > shrinkUntil) return
    const real: Real = { store: world, coverage, trace: [] }
    await startOver(world)
    const model = emptyModel(START)
    try {
      await fc.asyncModelRun(() => ({ model, real }), sequence)
      await expectSameStory(model, world)
    } catch (error) {
      story = `${real.trace.map((line, index) => `${index + 1}. ${line}`).join('\n')}\n\n${(error as Error).message}`
      shrinkUntil = Math.min(shrinkUntil, performance.now() + SHRINK_MS)
      throw error
    }
  })
  const { seed, sequences, endOnFailure = false } = runs
  const result = await fc.check(property, { seed, numRuns: sequences, endOnFailure, unbiased: true })
  return result.failed
    ? `seed ${seed}, path ${result.counterexamplePath}, after ${result.numShrinks} shrinks:\n${story}`
    : null
}
