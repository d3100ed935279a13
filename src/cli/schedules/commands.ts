/** Commands that control schedules: enable, disable, run, and pause or resume (one, or all for a maintenance window). */
import type { Command } from 'commander'
import { withConsole } from '../console/connect.js'
import type { Console } from '../console/console.js'
import {
  type AttributionFlags,
  attributionOf,
  consoleCommand,
  usageError,
  withAttribution,
  withTenant,
} from '../flags.js'
import type { CommandContext } from '../program.js'
import { moment } from '../terminal/format.js'
import { type Flags, firesNext } from './read.js'

type ControlFlags = Flags & AttributionFlags
type ActOptions = ReturnType<typeof optionsOf>

interface ScheduleResult {
  readonly facts: Record<string, unknown>
  readonly sentence: string
}

export function controlCommands(context: CommandContext): Command[] {
  const scheduleCommand = (
    verb: string,
    does: string,
    change: (console: Console, name: string, how: ActOptions) => Promise<ScheduleResult>,
  ) =>
    withAttribution(withTenant(consoleCommand(verb, does, `holdfast schedules ${verb} nightly`)))
      .argument('<name>', 'name of the schedule')
      .action((name: string, flags: ControlFlags) =>
        act(flags, context, name, (console) => change(console, name, optionsOf(flags))),
      )
  return [
    scheduleCommand('enable', 'enable a schedule', (console, name, how) =>
      setEnabled(console, name, true, how),
    ),
    scheduleCommand('disable', 'disable a schedule', (console, name, how) =>
      setEnabled(console, name, false, how),
    ),
    pauseCommand('pause', 'pause a schedule, or all of them', context).option(
      '--until <time>',
      'with --all: the end of the window, like 2030-01-31T12:00:00Z',
    ),
    pauseCommand('resume', 'resume a paused schedule, or all of them', context),
    scheduleCommand('run', 'enqueue its job now; the next slot is unchanged', async (console, name, how) => {
      const { jobId, deduplicated } = await console.schedules.run(name, how)
      const sentence = deduplicated
        ? `${name} enqueued nothing: job ${jobId} has its subject.`
        : `${name} enqueued job ${jobId}.`
      return { facts: { jobId, deduplicated }, sentence }
    }),
  ]
}

async function act(
  flags: ControlFlags,
  context: CommandContext,
  name: string | undefined,
  change: (console: Console) => Promise<ScheduleResult>,
): Promise<void> {
  await withConsole(flags, context, async ({ console }) => {
    const { facts, sentence } = await change(console)
    context.terminal.out(
      flags.json ? JSON.stringify({ ...(name && { schedule: name }), ...facts }) : sentence,
    )
  })
}

function optionsOf(flags: ControlFlags) {
  return { ...attributionOf(flags), tenant: flags.tenant }
}

async function setEnabled(
  console: Console,
  name: string,
  enabled: boolean,
  how: ActOptions,
): Promise<ScheduleResult> {
  const now = await console.schedules.update(name, { enabled }, how)
  return { facts: { enabled, nextRunAt: now.nextRunAt }, sentence: firesNext(now) }
}

type PauseFlags = ControlFlags & { readonly all?: boolean; readonly until?: string }

function pauseCommand(verb: 'pause' | 'resume', does: string, context: CommandContext): Command {
  const examples = [
    `holdfast schedules ${verb} nightly`,
    `holdfast schedules ${verb} --all --reason "new disks"`,
  ]
  return withAttribution(withTenant(consoleCommand(verb, does, ...examples)))
    .argument('[name]', 'name of the schedule')
    .option('--all', 'every schedule of the tenant: a maintenance window')
    .action((name: string | undefined, flags: PauseFlags) => {
      if (name !== undefined && flags.until !== undefined)
        throw usageError(
          '--until is the end of a maintenance window, so it needs --all.',
          `Give --all instead of ${name}, or leave out --until.`,
        )
      if ((name === undefined) === (flags.all !== true))
        throw usageError(`Give either a schedule or --all.`, 'Name a schedule, or give --all.')
      return act(flags, context, name, (console) => pauseOrResume(console, verb, name, flags))
    })
}

async function pauseOrResume(
  console: Console,
  verb: 'pause' | 'resume',
  name: string | undefined,
  flags: PauseFlags,
): Promise<ScheduleResult> {
  const paused = verb === 'pause'
  const how = optionsOf(flags)
  if (name !== undefined) {
    const changed = await console.schedules[verb](name, how)
    const facts = { paused, changed }
    if (!changed) return { facts, sentence: `${name} was ${paused ? 'paused already' : 'not paused'}.` }
    const now = await console.schedules.get(name, how)
    return { facts: { ...facts, nextRunAt: now.nextRunAt }, sentence: firesNext(now) }
  }
  if (paused) {
    const end = untilOf(flags)
    await console.schedules.pauseAll({ ...how, ...end })
    const time = end.until === undefined ? '' : `${moment(end.until)}, or until `
    return {
      facts: { open: true, ...end },
      sentence: `No schedule fires until ${time}\`holdfast schedules resume --all\`.`,
    }
  }
  const changed = await console.schedules.resumeAll(how)
  return {
    facts: { open: false, changed },
    sentence: changed ? 'All schedules fire again.' : 'There was no maintenance window.',
  }
}

function untilOf({ until }: PauseFlags): { until?: Date } {
  if (until === undefined) return {}
  const time = new Date(until)
  if (Number.isNaN(time.getTime()) || !/(?:Z|[+-]\d\d:?\d\d)$/i.test(until))
    throw usageError(`"${until}" is not a time with a zone.`, 'Write it like 2030-01-31T12:00:00Z.')
  return { until: time }
}
