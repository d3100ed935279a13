/** `holdfast keys`: creates, rotates and revokes API keys. The secret of a key is printed once, when it is created. */
import { Command } from 'commander'
import { SCOPES, type Scope } from '../../contract/endpoint.js'
import type { ApiKey } from '../../store/access/keys.js'
import { withConsole } from '../console/connect.js'
import {
  type AttributionFlags,
  attributionOf,
  consoleCommand,
  type DatabaseFlags,
  serverOf,
  usageError,
  wholeNumber,
  withAttribution,
} from '../flags.js'
import type { CommandContext } from '../program.js'
import { ago } from '../terminal/format.js'
import { printTable } from '../terminal/table.js'

type Flags = DatabaseFlags & AttributionFlags

interface CreateFlags extends Flags {
  readonly scope: string[]
  readonly tenant: string
  readonly everyTenant?: boolean
  readonly days?: number
  readonly rate?: number
}

export function keysCommand(context: CommandContext): Command {
  const command = new Command('keys').description('manage API keys')
  const create = consoleCommand(
    'create',
    'create a key and print its secret, once',
    'holdfast keys create web --scope enqueue read',
    'holdfast keys create root --scope admin --every-tenant',
  )
  command.addCommand(
    withAttribution(create)
      .argument('<name>', 'name in the audit log and as creator of jobs')
      .requiredOption('--scope <scopes...>', `what it may do: ${SCOPES.join(', ')}`)
      .option('--tenant <name>', 'tenant of the key', 'default')
      .option('--every-tenant', 'valid for every tenant, for operators')
      .option('--days <n>', 'days until it expires (default: never)', wholeNumber(1, 36_500))
      .option('--rate <n>', 'most requests a second, at each server', wholeNumber(1, 1_000_000))
      .action((name: string, flags: CreateFlags) => createKey(name, flags, context)),
  )
  command.addCommand(
    consoleCommand('list', 'list keys, without their secrets', 'holdfast keys list')
      .option('--tenant <name>', 'only of this tenant')
      .action((flags: DatabaseFlags & { tenant?: string }) => listKeys(flags, context)),
    { isDefault: true },
  )
  const rotate = consoleCommand(
    'rotate',
    'replace a key; the old one stays valid for a while',
    'holdfast keys rotate 3 --overlap 3600',
  )
  command.addCommand(
    withAttribution(rotate)
      .argument('<id>', 'id of the old key', wholeNumber(1))
      .option('--overlap <seconds>', 'how long the old key stays valid', wholeNumber(0, 30 * 86_400), 86_400)
      .action((id: number, flags: Flags & { overlap: number }) => rotateKey(id, flags, context)),
  )
  const revoke = consoleCommand(
    'revoke',
    'revoke a key at once',
    'holdfast keys revoke 3 --reason "it was in a log"',
  )
  command.addCommand(
    withAttribution(revoke)
      .argument('<id>', 'id of the key', wholeNumber(1))
      .action((id: number, flags: Flags) => revokeKey(id, flags, context)),
  )
  return command
}

async function createKey(name: string, flags: CreateFlags, context: CommandContext): Promise<void> {
  const scopes = flags.scope.flatMap((each) => each.split(',')).map(scopeOf)
  const { days, rate } = flags
  await withConsole(flags, context, async ({ console }) => {
    const isFirst = (await console.keys.keysRequiredSince()) === undefined
    const made = await console.keys.create({
      name,
      scopes,
      tenant: flags.everyTenant ? '*' : flags.tenant,
      ...(days === undefined ? {} : { expiresAt: new Date(Date.now() + days * 86_400_000) }),
      ...(rate === undefined ? {} : { rateLimit: rate }),
      ...attributionOf(flags),
    })
    printSecret(made, flags, context)
    if (isFirst && !flags.json)
      context.terminal.err(
        'This is the first key: from now on every server of this database requires a key, even on this machine and even if all keys are revoked.',
      )
  })
}

function scopeOf(text: string): Scope {
  const scope = SCOPES.find((each) => each === text)
  if (scope === undefined)
    throw usageError(`There is no scope "${text}".`, `Use some of ${SCOPES.join(', ')}.`)
  return scope
}

async function listKeys(flags: DatabaseFlags & { tenant?: string }, context: CommandContext): Promise<void> {
  const { terminal } = context
  await withConsole(flags, context, async ({ console }) => {
    const keys = await console.keys.list(flags.tenant === undefined ? {} : { tenant: flags.tenant })
    const keysRequiredSince = (await console.keys.keysRequiredSince()) ?? null
    if (flags.json) return terminal.out(JSON.stringify({ keys, keysRequiredSince }))
    if (keys.length === 0)
      return terminal.out(keysRequiredSince === null ? NEVER_A_KEY : stillClosed(keysRequiredSince))
    const { dim, green } = terminal.paint
    const tint = { live: green, expired: dim, revoked: dim }
    printTable(terminal, keys, [
      { title: 'id', value: ({ id }) => String(id), right: true },
      { title: 'name', value: ({ name }) => name },
      { title: 'is', value: ({ state }) => state, paint: (text, { state }) => tint[state](text) },
      { title: 'tenant', value: ({ tenant }) => (tenant === '*' ? 'every' : tenant) },
      { title: 'scopes', value: ({ scopes }) => scopes.join(' ') },
      { title: 'used', value: usedText, right: true },
      { title: 'begins', value: ({ hint }) => `${hint}…`, shrinks: true, paint: dim },
    ])
    if (flags.tenant === undefined && !hasLive(keys)) terminal.err(NONE_LIVE)
  })
}

const NEVER_A_KEY =
  'No key was ever created: servers accept requests from this machine without a key, and do not start on other addresses. The first key changes this for good.'

function stillClosed(since: Date): string {
  return `No key. Since one was created at ${since.toISOString()}, every server of this database requires a key. \`holdfast keys create\` creates one.`
}

const NONE_LIVE =
  'No valid key is left, and servers of this database still require one: `holdfast keys create` creates one.'

const hasLive = (keys: readonly Pick<ApiKey, 'state'>[]) => keys.some(({ state }) => state === 'live')

const usedText = ({ lastUsedAt }: ApiKey) => (lastUsedAt === null ? 'never' : ago(lastUsedAt))

async function rotateKey(
  id: number,
  flags: Flags & { overlap: number },
  context: CommandContext,
): Promise<void> {
  await withConsole(flags, context, async ({ console }) => {
    const made = await console.keys.rotate(id, { overlapMs: flags.overlap * 1000, ...attributionOf(flags) })
    printSecret(made, flags, context)
  })
}

async function revokeKey(id: number, flags: Flags, context: CommandContext): Promise<void> {
  await withConsole(flags, context, async ({ console }) => {
    const revoked = await console.keys.revoke(id, attributionOf(flags))
    if (flags.json) return context.terminal.out(JSON.stringify({ id, revoked }))
    context.terminal.out(revoked ? `Key ${id} is revoked.` : `Key ${id} was revoked already.`)
    // Through a server, the revoked key may be the one this command uses.
    if (serverOf(flags, context) === undefined && !hasLive(await console.keys.list()))
      context.terminal.err(NONE_LIVE)
  })
}

/** The key alone on stdout, so that it can be piped into a secret console. */
function printSecret(made: { id: number; secret: string }, flags: Flags, { terminal }: CommandContext): void {
  terminal.out(flags.json ? JSON.stringify(made) : made.secret)
  if (!flags.json) terminal.err(`Key ${made.id}. It is shown only once: store it with your secrets.`)
}
