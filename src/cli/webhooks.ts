/** `holdfast webhooks`: who is told of alerts. What calls are signed with is printed by `add`, once. */
import { Command } from 'commander'
import { webhookOptionsOf } from '../app/configured.js'
import type { Delivery, Webhook } from '../store/webhooks.js'
import { WebhookDesk } from '../webhooks/desk.js'
import { type WithStore, withStore } from './connect.js'
import { CommandError, EXIT } from './failure.js'
import {
  type ActFlags,
  actOf,
  type DatabaseFlags,
  eitherCommand,
  serverOf,
  type TenantFlag,
  wholeNumber,
  withAct,
  withTenant,
} from './flags.js'
import type { Context } from './program.js'
import { type Column, printTable } from './table.js'
import { ago } from './words.js'

type Flags = DatabaseFlags & ActFlags & Partial<TenantFlag>
type AddFlags = Flags & { everyTenant?: boolean; rule?: string[] }

const id = wholeNumber(1)

const WEBHOOK_COLUMNS: readonly Column<Webhook>[] = [
  { title: 'id', of: (row) => String(row.id), right: true },
  { title: 'name', of: (row) => row.name },
  { title: 'is', of: ({ enabled }) => (enabled ? 'on' : 'off') },
  { title: 'tenant', of: ({ tenant }) => (tenant === '*' ? 'every' : tenant) },
  { title: 'rules', of: ({ rules }) => rules?.join(' ') ?? 'all' },
  { title: 'url', of: ({ url }) => url, gives: true },
]

const DELIVERY_COLUMNS: readonly Column<Delivery>[] = [
  { title: 'id', of: (row) => String(row.id), right: true },
  { title: 'alert', of: ({ alertId }) => String(alertId), right: true },
  { title: 'tells', of: ({ type }) => type },
  { title: 'is', of: ({ state }) => state },
  { title: 'tries', of: ({ attempts }) => String(attempts), right: true },
  { title: 'next', of: ({ state, nextAt }) => (state === 'waiting' ? ago(nextAt) : '') },
  { title: 'problem', of: ({ error }) => error ?? '', gives: true },
]

export function webhooksCommand(context: Context): Command {
  const command = new Command('webhooks').description('who is told of alerts')
  const add = eitherCommand(
    'add',
    'tell this address of alerts, and print what calls are signed with',
    'holdfast webhooks add pager https://hooks.example.com/holdfast',
    'holdfast webhooks add night https://hooks.example.com/night --rule depth',
  )
  command.addCommand(
    withAct(withTenant(add))
      .argument('<name>', 'by which it is known')
      .argument('<url>', 'https, at a public address')
      .option('--rule <rules...>', 'only of these (default: all)')
      .option('--every-tenant', 'of every tenant and of the installation')
      .action((name: string, url: string, flags: AddFlags) => addOne(name, url, flags, context)),
  )
  command.addCommand(
    eitherCommand('list', 'webhooks, without what calls are signed with', 'holdfast webhooks list')
      .option('--tenant <name>', 'only of this tenant')
      .action((flags: Flags) => list(flags, context)),
    { isDefault: true },
  )
  command.addCommand(
    eitherCommand('deliveries', 'what was sent to one, or waits to be', 'holdfast webhooks deliveries 1')
      .argument('<id>', 'of the webhook', id)
      .option('--limit <n>', 'how many', wholeNumber(1, 500), 20)
      .action((webhook: number, flags: Flags & { limit: number }) => deliveries(webhook, flags, context)),
  )
  addChanges(command, context)
  return command
}

function addChanges(command: Command, context: Context): void {
  const remove = eitherCommand('remove', 'tell this address nothing any more', 'holdfast webhooks remove 1')
  command.addCommand(
    withAct(remove)
      .argument('<id>', 'of the webhook', id)
      .action((webhook: number, flags: Flags) => removeOne(webhook, flags, context)),
  )
  for (const [word, enabled] of [
    ['enable', true],
    ['disable', false],
  ] as const) {
    const does = enabled ? 'tell it again' : 'tell it nothing; what waits for it is dropped'
    command.addCommand(
      withAct(eitherCommand(word, does, `holdfast webhooks ${word} 1`))
        .argument('<id>', 'of the webhook', id)
        .action((webhook: number, flags: Flags) => enableOne(webhook, enabled, flags, context)),
    )
  }
}

/** The server's, or one on the database that goes by our own configuration. */
function withDesk<T>(flags: Flags, context: Context, work: (desk: WebhookDesk) => Promise<T>): Promise<T> {
  return withStore(flags, context, ({ store, config }: WithStore) => {
    const remote = serverOf(flags, context) !== undefined
    return work(
      remote ? (store.webhooks as unknown as WebhookDesk) : new WebhookDesk(store, webhookOptionsOf(config)),
    )
  })
}

async function addOne(name: string, url: string, flags: AddFlags, context: Context): Promise<void> {
  const { terminal } = context
  await withDesk(flags, context, async (desk) => {
    const made = await desk.add({
      name,
      url,
      tenant: flags.everyTenant ? '*' : (flags.tenant ?? 'default'),
      ...(flags.rule === undefined ? {} : { rules: flags.rule }),
      ...actOf(flags),
    })
    terminal.out(flags.json ? JSON.stringify(made) : made.secret)
    if (!flags.json)
      terminal.err(`Webhook ${made.id}. Its calls are signed with this, which is shown this once.`)
  })
}

async function list(flags: Flags, context: Context): Promise<void> {
  const { terminal } = context
  await withDesk(flags, context, async (desk) => {
    const webhooks = await desk.list(flags.tenant === undefined ? {} : { tenant: flags.tenant })
    if (flags.json) return terminal.out(JSON.stringify({ webhooks }))
    if (webhooks.length === 0)
      return terminal.out('No webhook: nobody is told of alerts. `holdfast webhooks add` adds one.')
    printTable(terminal, webhooks, WEBHOOK_COLUMNS)
  })
}

async function deliveries(
  webhook: number,
  flags: Flags & { limit: number },
  context: Context,
): Promise<void> {
  const { terminal } = context
  await withDesk(flags, context, async (desk) => {
    const rows = await desk.deliveries(webhook, { limit: flags.limit })
    if (flags.json) return terminal.out(JSON.stringify({ deliveries: rows }))
    if (rows.length === 0) return terminal.out('Nothing was sent to it.')
    printTable(terminal, rows, DELIVERY_COLUMNS)
  })
}

async function removeOne(webhook: number, flags: Flags, context: Context): Promise<void> {
  await withDesk(flags, context, async (desk) => {
    await desk.remove(webhook, actOf(flags))
    if (flags.json) return context.terminal.out(JSON.stringify({ id: webhook, removed: true }))
    context.terminal.out(`Webhook ${webhook} is told nothing any more.`)
  })
}

async function enableOne(webhook: number, enabled: boolean, flags: Flags, context: Context): Promise<void> {
  await withDesk(flags, context, async (desk) => {
    const changed = await desk.enable(webhook, enabled, actOf(flags))
    if (flags.json) return context.terminal.out(JSON.stringify({ id: webhook, enabled, changed }))
    context.terminal.out(`Webhook ${webhook} ${changed ? 'is' : 'was already'} ${enabled ? 'on' : 'off'}.`)
  })
}

export async function testWebhook(webhook: number, flags: Flags, context: Context): Promise<void> {
  const { terminal } = context
  await withDesk(flags, context, async (desk) => {
    const answer = await desk.test(webhook)
    if (flags.json) terminal.out(JSON.stringify(answer))
    else if (answer.arrived) terminal.out(`It arrived; the answer was ${answer.status}.`)
    if (answer.arrived) return
    throw new CommandError({
      code: 'webhook_failed',
      message: `The call did not arrive: ${answer.error}.`,
      remedy: 'Check the address with `holdfast webhooks list`, and that the receiver answers with 2xx.',
      exitCode: EXIT.failed,
    })
  })
}
