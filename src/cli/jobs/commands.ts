/** Commands that change jobs: retry, cancel, resume, skip, discard. With several ids, an error for one job does not stop the others. */
import type { Command } from 'commander'
import type { State } from '../../domain/states/states.js'
import { given } from '../../json/given.js'
import type { CancelOptions } from '../../store/job-commands.js'
import { withConsole } from '../console/connect.js'
import type { Console } from '../console/console.js'
import { CommandError, type Failure, failureOf, printFailure } from '../failure.js'
import {
  type AttributionFlags,
  attributionOf,
  consoleCommand,
  type DatabaseFlags,
  jobIds,
  withAttribution,
} from '../flags.js'
import type { CommandContext } from '../program.js'
import { many, paintState } from '../terminal/format.js'
import { stateOf } from './list.js'

export interface CommandReport {
  /** For `--json`. */
  readonly facts: Record<string, unknown>
  /** For people, printed after the id. */
  readonly sentence: string
}

/** `ifState` is of `cancel` alone. */
export type JobCommand = (console: Console, jobId: number, act: CancelOptions) => Promise<CommandReport>

const moved = (state: string, verb: string): CommandReport => ({
  facts: { state },
  sentence: `${verb}, now ${state}`,
})

export type JobVerb = 'retry' | 'cancel' | 'resume' | 'skip' | 'discard'

export const JOB_COMMANDS: Readonly<Record<JobVerb, { readonly does: string; readonly run: JobCommand }>> = {
  retry: {
    does: 'run ended jobs again, and delayed jobs now',
    async run(console, id, act) {
      const { jobId, state } = await console.commands.retry(id, act)
      if (jobId === id) return moved(state, 'retried')
      return {
        facts: { state, newJobId: jobId },
        sentence: `is unchanged; job ${jobId} was enqueued from it`,
      }
    },
  },
  cancel: {
    does: 'cancel jobs; the worker of a running job is notified',
    async run(console, id, act) {
      const { result, state } = await console.commands.cancel(id, act)
      const sentences = {
        canceled: `canceled, now ${state}`,
        requested: `${state}; its worker is notified to stop`,
        already_ended: `had ended already: ${state}`,
      }
      return { facts: { result, state }, sentence: sentences[result] }
    },
  },
  resume: {
    does: 'resume paused, errored and parked jobs',
    run: async (console, id, act) => moved(await console.commands.resume(id, act), 'resumed'),
  },
  skip: {
    does: 'skip jobs that block or wait for their target',
    run: async (console, id, act) => moved(await console.commands.skip(id, act), 'skipped'),
  },
  discard: {
    does: 'fail jobs that would be retried',
    run: async (console, id, act) => moved(await console.commands.discard(id, act), 'discarded'),
  },
}

export function jobCommands(context: CommandContext): Command[] {
  return Object.entries(JOB_COMMANDS).map(([name, { does, run }]) => {
    const command = consoleCommand(name, does, `holdfast jobs ${name} 42 43 --reason "the bank is back"`)
    withAttribution(command).argument('<ids...>', 'ids of the jobs')
    if (name === 'cancel')
      command.option('--if-state <state>', 'only in this state, such as running', stateOf)
    return command.action(
      (ids: string[], { ifState, ...flags }: DatabaseFlags & AttributionFlags & { ifState?: State }) =>
        runOnAll(
          ids,
          (console, id, act) => run(console, id, { ...act, ...given({ ifState }) }),
          flags,
          context,
        ),
    )
  })
}

export async function runOnAll(
  texts: readonly string[],
  run: JobCommand,
  flags: DatabaseFlags & AttributionFlags,
  context: CommandContext,
): Promise<void> {
  const ids = jobIds(texts)
  await withConsole(flags, context, async ({ console }) => {
    const results: Record<string, unknown>[] = []
    const failures: Failure[] = []
    for (const jobId of ids) {
      try {
        const { facts, sentence } = await run(console, jobId, attributionOf(flags))
        results.push({ jobId, ...facts })
        if (!flags.json) print(context, jobId, sentence, String(facts.state ?? ''))
      } catch (error) {
        if (ids.length === 1) throw error
        const failure = failureOf(error)
        failures.push(failure)
        results.push({
          jobId,
          error: { code: failure.code, message: failure.message, remedy: failure.remedy },
        })
        if (!flags.json) printFailure(context.terminal, failure, { json: false })
      }
    }
    if (flags.json) context.terminal.out(JSON.stringify({ jobs: results }))
    const [first] = failures
    if (first !== undefined)
      throw new CommandError({
        code: first.code,
        message: `${failures.length} of ${many(ids.length, 'job')} were refused.`,
        remedy: 'The other jobs were changed. `holdfast jobs explain <id>` shows why a job was not.',
        exitCode: first.exitCode,
      })
  })
}

function print({ terminal }: CommandContext, jobId: number, sentence: string, state: string): void {
  terminal.out(`${terminal.paint.bold(`Job ${jobId}`)}  ${paintState(terminal.paint, state)(sentence)}`)
}
