/** `holdfast keys`: who may call the server. A key is printed here, once, and nowhere else. */
import { Command } from 'commander'
import { SCOPES, type Scope } from '../contract/endpoint.js'
import type { ApiKey } from '../store/keys.js'
import { withStore } from './connect.js'
import {
  type ActFlags,
  actOf,
  type DatabaseFlags,
  eitherCommand,
  serverOf,
  usageError,
  wholeNumber,
  withAct,
} from './flags.js'
import type { Context } from './program.js'
import { printTable } from './table.js'
import { ago } from './words.js'

type Flags = DatabaseFlags & ActFlags

interface CreateFlags extends Flags {
  readonly scope: string[]
  readonly tenant: string
  readonly everyTenant?: boolean
  readonly days?: number
  readonly rate?: number
}

export function keysCommand(context: Context): Command {
  const command = new Command('keys').description('who may call the server')
  const create = eitherCommand(
    'create',
    'make a key and print it, this once',
    'holdfast keys create web --scope enqueue read',
    'holdfast keys create root --scope admin --every-tenant',
  )
  command.addCommand(
    withAct(create)
      .argument('<name>', 'by which it is known, in the audit log and as who made a job')
      .requiredOption('--scope <scopes...>', `what it may do: ${SCOPES.join(', ')}`)
      .option('--tenant <name>', 'whose jobs it is about', 'default')
      .option('--every-tenant', 'for those who run the installation')
      .option('--days <n>', 'how long it works (default: until it is revoked)', wholeNumber(1, 36_500))
      .option('--rate <n>', 'calls a second at most, at each server', wholeNumber(1, 1_000_000))
      .action((name: string, flags: CreateFlags) => createKey(name, flags, context)),
  )
  command.addCommand(
    eitherCommand('list', 'keys, without what they are', 'holdfast keys list')
      .option('--tenant <name>', 'only of this tenant')
      .action((flags: DatabaseFlags & { tenant?: string }) => listKeys(flags, context)),
    { isDefault: true },
  )
  const rotate = eitherCommand(
    'rotate',
    'a new key in place of an old one, which goes on for a while',
    'holdfast keys rotate 3 --overlap 3600',
  )
  command.addCommand(
    withAct(rotate)
      .argument('<id>', 'of the old one', wholeNumber(1))
      .option('--overlap <seconds>', 'how long the old one goes on', wholeNumber(0, 30 * 86_400), 86_400)
      .action((id: number, flags: Flags & { overlap: number }) => rotateKey(id, flags, context)),
  )
  const revoke = eitherCommand(
    'revoke',
    'end a key at once',
    'holdfast keys revoke 3 --reason "it was in a log"',
  )
  command.addCommand(
    withAct(revoke)
      .argument('<id>', 'of the key', wholeNumber(1))
      .action((id: number, flags: Flags) => revokeKey(id, flags, context)),
  )
  return command
}

async function createKey(name: string, flags: CreateFlags, context: Context): Promise<void> {
  const scopes = flags.scope.flatMap((each) => each.split(',')).map(scopeOf)
  const { days, rate } = flags
  await withStore(flags, context, async ({ store }) => {
    const isFirst = (await store.keys.closedSince()) === undefined
    const made = await store.keys.create({
      name,
      scopes,
      tenant: flags.everyTenant ? '*' : flags.tenant,
      ...(days === undefined ? {} : { expiresAt: new Date(Date.now() + days * 86_400_000) }),
      ...(rate === undefined ? {} : { rateLimit: rate }),
      ...actOf(flags),
    })
    printSecret(made, flags, context)
    if (isFirst && !flags.json)
      context.terminal.err(
        'It is the first: from now on every server of this database asks for a key, also on this machine, and also when no key is left.',
      )
  })
}

function scopeOf(word: string): Scope {
  const scope = SCOPES.find((each) => each === word)
  if (scope === undefined)
    throw usageError(`There is no scope "${word}".`, `Use some of ${SCOPES.join(', ')}.`)
  return scope
}

async function listKeys(flags: DatabaseFlags & { tenant?: string }, context: Context): Promise<void> {
  const { terminal } = context
  await withStore(flags, context, async ({ store }) => {
    const keys = await store.keys.list(flags.tenant === undefined ? {} : { tenant: flags.tenant })
    const closedSince = (await store.keys.closedSince()) ?? null
    if (flags.json) return terminal.out(JSON.stringify({ keys, closedSince }))
    if (keys.length === 0) return terminal.out(closedSince === null ? NEVER_A_KEY : stillClosed(closedSince))
    const { dim, green } = terminal.paint
    const tint = { live: green, expired: dim, revoked: dim }
    printTable(terminal, keys, [
      { title: 'id', of: ({ id }) => String(id), right: true },
      { title: 'name', of: ({ name }) => name },
      { title: 'is', of: ({ state }) => state, paint: (text, { state }) => tint[state](text) },
      { title: 'tenant', of: ({ tenant }) => (tenant === '*' ? 'every' : tenant) },
      { title: 'may', of: ({ scopes }) => scopes.join(' ') },
      { title: 'used', of: usedText, right: true },
      { title: 'begins', of: ({ hint }) => `${hint}…`, gives: true, paint: dim },
    ])
    if (flags.tenant === undefined && !hasLive(keys)) terminal.err(NONE_LIVE)
  })
}

const NEVER_A_KEY =
  'No key was ever made: a server on this machine is open to it, any other refuses to start. The first key closes both for good.'

function stillClosed(since: Date): string {
  return `No key, but one was made at ${since.toISOString()}: since then every server of this database asks for a key, and that stays so. \`holdfast keys create\` makes one.`
}

const NONE_LIVE =
  'No live key is left. Servers of this database go on asking for one: `holdfast keys create` makes another.'

const hasLive = (keys: readonly Pick<ApiKey, 'state'>[]) => keys.some(({ state }) => state === 'live')

const usedText = ({ lastUsedAt }: ApiKey) => (lastUsedAt === null ? 'never' : ago(lastUsedAt))

async function rotateKey(id: number, flags: Flags & { overlap: number }, context: Context): Promise<void> {
  await withStore(flags, context, async ({ store }) => {
    const made = await store.keys.rotate(id, { overlapMs: flags.overlap * 1000, ...actOf(flags) })
    printSecret(made, flags, context)
  })
}

async function revokeKey(id: number, flags: Flags, context: Context): Promise<void> {
  await withStore(flags, context, async ({ store }) => {
    const revoked = await store.keys.revoke(id, actOf(flags))
    if (flags.json) return context.terminal.out(JSON.stringify({ id, revoked }))
    context.terminal.out(revoked ? `Key ${id} opens nothing any more.` : `Key ${id} was revoked already.`)
    // A server that is asked may just have lost the key it was asked with.
    if (serverOf(flags, context) === undefined && !hasLive(await store.keys.list()))
      context.terminal.err(NONE_LIVE)
  })
}

/** The key alone on stdout, so that it can be piped into a secret store. */
function printSecret(made: { id: number; secret: string }, flags: Flags, { terminal }: Context): void {
  terminal.out(flags.json ? JSON.stringify(made) : made.secret)
  if (!flags.json) terminal.err(`Key ${made.id}. It is shown this once: keep it where secrets are kept.`)
}
