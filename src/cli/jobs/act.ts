/** What operators do to jobs, one command each. Several jobs may be named; a refusal of one does not stop the others. */
import type { Command } from 'commander'
import type { Act } from '../../store/operate.js'
import type { Store } from '../../store/store.js'
import { withStore } from '../connect.js'
import { CommandError, type Failure, failureOf, printFailure } from '../failure.js'
import { type ActFlags, actOf, type DatabaseFlags, eitherCommand, jobIds, withAct } from '../flags.js'
import type { Context } from '../program.js'
import { many, paintState } from '../words.js'

export interface Done {
  /** What a program reads. */
  readonly facts: Record<string, unknown>
  /** What a person reads behind the job's number. */
  readonly sentence: string
}

export type Deed = (store: Store, jobId: number, act: Act) => Promise<Done>

const moved = (state: string, word: string): Done => ({ facts: { state }, sentence: `${word}, now ${state}` })

const DEEDS: Record<string, { readonly does: string; readonly deed: Deed }> = {
  retry: {
    does: 'run ended jobs again, and delayed ones now',
    async deed(store, id, act) {
      const { jobId, state } = await store.operate.retry(id, act)
      if (jobId === id) return moved(state, 'retried')
      return {
        facts: { state, newJobId: jobId },
        sentence: `stays as it ended; job ${jobId} was made from it`,
      }
    },
  },
  cancel: {
    does: 'end jobs; a running one is told to stop',
    async deed(store, id, act) {
      const { result, state } = await store.operate.cancel(id, act)
      const sentences = {
        canceled: `canceled, now ${state}`,
        requested: `${state}; its worker is told to stop`,
        already_ended: `had ended already: ${state}`,
      }
      return { facts: { result, state }, sentence: sentences[result] }
    },
  },
  resume: {
    does: 'let paused, errored and parked jobs go on',
    deed: async (store, id, act) => moved(await store.operate.resume(id, act), 'resumed'),
  },
  skip: {
    does: 'take blocked or waiting jobs out of the way of their target',
    deed: async (store, id, act) => moved(await store.operate.skip(id, act), 'skipped'),
  },
  discard: {
    does: 'give up on jobs that would be tried again',
    deed: async (store, id, act) => moved(await store.operate.discard(id, act), 'discarded'),
  },
}

export function actCommands(context: Context): Command[] {
  return Object.entries(DEEDS).map(([name, { does, deed }]) => {
    const command = eitherCommand(name, does, `holdfast jobs ${name} 42 43 --reason "the bank is back"`)
    return withAct(command)
      .argument('<ids...>', 'the jobs')
      .action((ids: string[], flags: DatabaseFlags & ActFlags) => actOnAll(ids, deed, flags, context))
  })
}

export async function actOnAll(
  texts: readonly string[],
  deed: Deed,
  flags: DatabaseFlags & ActFlags,
  context: Context,
): Promise<void> {
  const ids = jobIds(texts)
  await withStore(flags, context, async ({ store }) => {
    const results: Record<string, unknown>[] = []
    const failures: Failure[] = []
    for (const jobId of ids) {
      try {
        const { facts, sentence } = await deed(store, jobId, actOf(flags))
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
        remedy: 'The others are done; look at those with `holdfast jobs explain`.',
        exitCode: first.exitCode,
      })
  })
}

function print({ terminal }: Context, jobId: number, sentence: string, state: string): void {
  terminal.out(`${terminal.paint.bold(`Job ${jobId}`)}  ${paintState(terminal.paint, state)(sentence)}`)
}
