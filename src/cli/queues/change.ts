/** `holdfast queues create | update | rename | remove`. */
import type { Command } from 'commander'
import { invalidInput } from '../../domain/errors/errors.js'
import type { Policy } from '../../domain/policy.js'
import { given } from '../../json/given.js'
import { PRESET_NAMES, parsePreset } from '../../presets/presets.js'
import { withConsole } from '../console/connect.js'
import {
  type AttributionFlags,
  attributionOf,
  consoleCommand,
  type DatabaseFlags,
  type TenantFlag,
  usageError,
  withAttribution,
  withTenant,
} from '../flags.js'
import type { CommandContext } from '../program.js'

type Flags = DatabaseFlags & TenantFlag & AttributionFlags
type PolicyFlags = Flags & { readonly preset?: string; readonly policy?: string }
type RemoveFlags = Flags & { readonly withItems?: boolean }

const PRESET_FLAG = ['--preset <name>', `one of ${PRESET_NAMES.join(', ')}`] as const
const POLICY_FLAG = ['--policy <json>', 'fields that differ from the preset'] as const

export function queueChangeCommands(context: CommandContext): Command[] {
  return [createCommand(context), updateCommand(context), renameCommand(context), removeCommand(context)]
}

function createCommand(context: CommandContext): Command {
  return queueCommand('create', 'create a queue from a preset', [
    'holdfast queues create leads --preset harvest',
    `holdfast queues create mail --policy '{"maxRetries":2}'`,
  ])
    .option(...PRESET_FLAG)
    .option(...POLICY_FLAG)
    .action((queue: string, flags: PolicyFlags) => create(queue, flags, context))
}

function updateCommand(context: CommandContext): Command {
  return queueCommand('update', 'change the policy of a queue, or its preset', [
    `holdfast queues update mail --policy '{"maxRetries":2}'`,
    'holdfast queues update leads --preset harvest',
  ])
    .option(PRESET_FLAG[0], `${PRESET_FLAG[1]}; only without live jobs`)
    .option(POLICY_FLAG[0], 'fields to change')
    .action((queue: string, flags: PolicyFlags) => update(queue, flags, context))
}

function renameCommand(context: CommandContext): Command {
  return queueCommand('rename', 'rename a queue with its jobs and schedules', [
    'holdfast queues rename mail letters',
  ])
    .argument('<name>', 'new name')
    .action((queue: string, to: string, flags: Flags) => rename(queue, to, flags, context))
}

function removeCommand(context: CommandContext): Command {
  return queueCommand('remove', 'remove a queue without live jobs, with its history', [
    'holdfast queues remove mail',
  ])
    .option('--with-items', 'also if it has items or subjects, which are deleted')
    .action((queue: string, flags: RemoveFlags) => remove(queue, flags, context))
}

function queueCommand(name: string, does: string, examples: readonly string[]): Command {
  return withAttribution(withTenant(consoleCommand(name, does, ...examples))).argument(
    '<queue>',
    'name of the queue',
  )
}

async function create(queue: string, flags: PolicyFlags, context: CommandContext): Promise<void> {
  const { preset = 'default', policy } = changesOf(flags)
  await withConsole(flags, context, async ({ console }) => {
    const act = { ...attributionOf(flags), tenant: flags.tenant }
    await console.queues.create(queue, { preset, ...given({ policy }), ...act })
    if (flags.json) return printQueue(await console.queues.get(queue, act), context)
    context.terminal.out(`Queue ${queue} is created with the preset ${preset}.`)
  })
}

async function update(queue: string, flags: PolicyFlags, context: CommandContext): Promise<void> {
  const changes = changesOf(flags)
  if (changes.preset === undefined && changes.policy === undefined)
    throw usageError('Nothing to change.', 'Give --preset, --policy or both.')
  await withConsole(flags, context, async ({ console }) => {
    const act = { ...attributionOf(flags), tenant: flags.tenant }
    await console.queues.update(queue, changes, act)
    const changed = await console.queues.get(queue, act)
    if (flags.json) return printQueue(changed, context)
    context.terminal.out(`Queue ${queue} is changed; its preset is ${changed.preset}.`)
  })
}

async function rename(queue: string, to: string, flags: Flags, context: CommandContext): Promise<void> {
  await withConsole(flags, context, async ({ console }) => {
    await console.queues.rename(queue, to, { ...attributionOf(flags), tenant: flags.tenant })
    if (flags.json) return context.terminal.out(JSON.stringify({ queue: to, renamedFrom: queue }))
    context.terminal.out(`Queue ${queue} is now ${to}, with its jobs and schedules.`)
    const { dim } = context.terminal.paint
    context.terminal.out(dim(`  Programs that enqueue or claim under the name ${queue} need the new one.`))
  })
}

async function remove(queue: string, flags: RemoveFlags, context: CommandContext): Promise<void> {
  const { withItems = false, tenant } = flags
  await withConsole(flags, context, async ({ console }) => {
    await console.queues.remove(queue, { ...attributionOf(flags), tenant, withItems })
    if (flags.json) return context.terminal.out(JSON.stringify({ queue, removed: true }))
    context.terminal.out(`Queue ${queue} is removed.`)
  })
}

function changesOf({ preset, policy }: PolicyFlags) {
  const named = preset === undefined ? undefined : parsePreset(preset, '--preset')
  return given({ preset: named, policy: policy === undefined ? undefined : policyOf(policy) })
}

function policyOf(text: string): Partial<Policy> {
  try {
    return JSON.parse(text) as Partial<Policy>
  } catch {
    throw invalidInput('--policy', `must be JSON, like '{"maxRetries":2}'`)
  }
}

function printQueue(queue: object, { terminal }: CommandContext): void {
  terminal.out(JSON.stringify({ queue }))
}
