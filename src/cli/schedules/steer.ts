/** Steering schedules: enable, disable, pause and resume (one, or all for a maintenance window), run. */
import type { Command } from 'commander'
import type { Store } from '../../store/store.js'
import { withStore } from '../connect.js'
import { type ActFlags, actOf, eitherCommand, usageError, withAct, withTenant } from '../flags.js'
import type { Context } from '../program.js'
import { moment } from '../words.js'
import { type Flags, firesNext } from './look.js'

type Steering = Flags & ActFlags
type How = ReturnType<typeof howOf>

interface Done {
  readonly facts: Record<string, unknown>
  readonly sentence: string
}

export function steerCommands(context: Context): Command[] {
  const named = (verb: string, does: string, deed: (store: Store, name: string, how: How) => Promise<Done>) =>
    withAct(withTenant(eitherCommand(verb, does, `holdfast schedules ${verb} nightly`)))
      .argument('<name>', 'the schedule')
      .action((name: string, flags: Steering) =>
        act(flags, context, name, (store) => deed(store, name, howOf(flags))),
      )
  return [
    named('enable', 'let it fire again, from now on', (store, name, how) =>
      setEnabled(store, name, true, how),
    ),
    named('disable', 'let it fire no more', (store, name, how) => setEnabled(store, name, false, how)),
    hold('pause', 'hold a schedule, or all of them, for a while', context).option(
      '--until <time>',
      'with --all: the end of the window, like 2030-01-31T12:00:00Z',
    ),
    hold('resume', 'let a paused one go on, or all of them', context),
    named('run', 'make its job now; the schedule stays put', async (store, name, how) => {
      const { jobId, deduplicated } = await store.schedules.run(name, how)
      const sentence = deduplicated
        ? `${name} made nothing: job ${jobId} has its subject.`
        : `${name} made job ${jobId}.`
      return { facts: { jobId, deduplicated }, sentence }
    }),
  ]
}

async function act(
  flags: Steering,
  context: Context,
  name: string | undefined,
  deed: (store: Store) => Promise<Done>,
): Promise<void> {
  await withStore(flags, context, async ({ store }) => {
    const { facts, sentence } = await deed(store)
    context.terminal.out(
      flags.json ? JSON.stringify({ ...(name && { schedule: name }), ...facts }) : sentence,
    )
  })
}

function howOf(flags: Steering) {
  return { ...actOf(flags), tenant: flags.tenant }
}

async function setEnabled(store: Store, name: string, enabled: boolean, how: How): Promise<Done> {
  const now = await store.schedules.update(name, { enabled }, how)
  return { facts: { enabled, nextRunAt: now.nextRunAt }, sentence: firesNext(now) }
}

type HoldFlags = Steering & { readonly all?: boolean; readonly until?: string }

function hold(verb: 'pause' | 'resume', does: string, context: Context): Command {
  const examples = [
    `holdfast schedules ${verb} nightly`,
    `holdfast schedules ${verb} --all --reason "new disks"`,
  ]
  return withAct(withTenant(eitherCommand(verb, does, ...examples)))
    .argument('[name]', 'the schedule')
    .option('--all', 'every schedule of the tenant: a maintenance window')
    .action((name: string | undefined, flags: HoldFlags) => {
      if (name !== undefined && flags.until !== undefined)
        throw usageError(
          '--until is the end of a maintenance window, and one schedule has none.',
          `Say --all instead of ${name}, or leave out --until.`,
        )
      if ((name === undefined) === (flags.all !== true))
        throw usageError(
          `There is nothing to ${verb}, or there is too much.`,
          'Name a schedule, or say --all.',
        )
      return act(flags, context, name, (store) => holdOrLetGo(store, verb, name, flags))
    })
}

async function holdOrLetGo(
  store: Store,
  verb: 'pause' | 'resume',
  name: string | undefined,
  flags: HoldFlags,
): Promise<Done> {
  const paused = verb === 'pause'
  const how = howOf(flags)
  if (name !== undefined) {
    const changed = await store.schedules[verb](name, how)
    const facts = { paused, changed }
    if (!changed) return { facts, sentence: `${name} was ${paused ? 'paused already' : 'not paused'}.` }
    const now = await store.schedules.get(name, how)
    return { facts: { ...facts, nextRunAt: now.nextRunAt }, sentence: firesNext(now) }
  }
  if (paused) {
    const end = untilOf(flags)
    await store.schedules.pauseAll({ ...how, ...end })
    const time = end.until === undefined ? '' : `${moment(end.until)}, or until `
    return {
      facts: { open: true, ...end },
      sentence: `No schedule fires until ${time}\`holdfast schedules resume --all\`.`,
    }
  }
  const changed = await store.schedules.resumeAll(how)
  return {
    facts: { open: false, changed },
    sentence: changed ? 'All schedules fire again.' : 'There was no maintenance window.',
  }
}

function untilOf({ until }: HoldFlags): { until?: Date } {
  if (until === undefined) return {}
  const time = new Date(until)
  if (Number.isNaN(time.getTime()) || !/(?:Z|[+-]\d\d:?\d\d)$/i.test(until))
    throw usageError(`"${until}" is not a time with a zone.`, 'Write it like 2030-01-31T12:00:00Z.')
  return { until: time }
}
