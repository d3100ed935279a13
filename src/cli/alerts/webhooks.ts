/** `holdfast webhooks`: manages the webhooks that receive alerts. The signing secret is printed once, by `add`. */
import { Command } from 'commander'
import type { Delivery, Webhook } from '../../store/alerts/webhooks.js'
import { withConsole } from '../console/connect.js'
import { CommandError, EXIT } from '../failure.js'
import {
  type AttributionFlags,
  attributionOf,
  consoleCommand,
  type DatabaseFlags,
  type TenantFlag,
  wholeNumber,
  withAttribution,
  withTenant,
} from '../flags.js'
import type { CommandContext } from '../program.js'
import { ago } from '../terminal/format.js'
import { type Column, printTable } from '../terminal/table.js'

type Flags = DatabaseFlags & AttributionFlags & Partial<TenantFlag>
type WebhookAddFlags = Flags & { everyTenant?: boolean; rule?: string[] }

const id = wholeNumber(1)

const WEBHOOK_COLUMNS: readonly Column<Webhook>[] = [
  { title: 'id', value: (row) => String(row.id), right: true },
  { title: 'name', value: (row) => row.name },
  { title: 'is', value: ({ enabled }) => (enabled ? 'on' : 'off') },
  { title: 'tenant', value: ({ tenant }) => (tenant === '*' ? 'every' : tenant) },
  { title: 'rules', value: ({ rules }) => rules?.join(' ') ?? 'all' },
  { title: 'url', value: ({ url }) => url, shrinks: true },
]

const DELIVERY_COLUMNS: readonly Column<Delivery>[] = [
  { title: 'id', value: (row) => String(row.id), right: true },
  { title: 'alert', value: ({ alertId }) => String(alertId), right: true },
  { title: 'event', value: ({ type }) => type },
  { title: 'is', value: ({ state }) => state },
  { title: 'tries', value: ({ attempts }) => String(attempts), right: true },
  { title: 'next', value: ({ state, nextAt }) => (state === 'waiting' ? ago(nextAt) : '') },
  { title: 'problem', value: ({ error }) => error ?? '', shrinks: true },
]

export function webhooksCommand(context: CommandContext): Command {
  const command = new Command('webhooks').description('manage the webhooks that receive alerts')
  const add = consoleCommand(
    'add',
    'send alerts to an address, and print the signing secret',
    'holdfast webhooks add pager https://hooks.example.com/holdfast',
    'holdfast webhooks add night https://hooks.example.com/night --rule depth',
  )
  command.addCommand(
    withAttribution(withTenant(add))
      .argument('<name>', 'name of the webhook')
      .argument('<url>', 'https, at a public address')
      .option('--rule <rules...>', 'only these rules (default: all)')
      .option('--every-tenant', 'alerts of every tenant and of the installation')
      .action((name: string, url: string, flags: WebhookAddFlags) => addOne(name, url, flags, context)),
  )
  command.addCommand(
    consoleCommand('list', 'list webhooks', 'holdfast webhooks list')
      .option('--tenant <name>', 'only of this tenant')
      .action((flags: Flags) => list(flags, context)),
    { isDefault: true },
  )
  command.addCommand(
    consoleCommand(
      'deliveries',
      'list deliveries of a webhook, sent and pending',
      'holdfast webhooks deliveries 1',
    )
      .argument('<id>', 'id of the webhook', id)
      .option('--limit <n>', 'most rows to show', wholeNumber(1, 500), 20)
      .action((webhook: number, flags: Flags & { limit: number }) => deliveries(webhook, flags, context)),
  )
  addChanges(command, context)
  return command
}

function addChanges(command: Command, context: CommandContext): void {
  const remove = consoleCommand('remove', 'remove a webhook', 'holdfast webhooks remove 1')
  command.addCommand(
    withAttribution(remove)
      .argument('<id>', 'id of the webhook', id)
      .action((webhook: number, flags: Flags) => removeOne(webhook, flags, context)),
  )
  for (const [verb, enabled] of [
    ['enable', true],
    ['disable', false],
  ] as const) {
    const does = enabled
      ? 'send alerts to a webhook again'
      : 'disable a webhook and drop its pending deliveries'
    command.addCommand(
      withAttribution(consoleCommand(verb, does, `holdfast webhooks ${verb} 1`))
        .argument('<id>', 'id of the webhook', id)
        .action((webhook: number, flags: Flags) => enableOne(webhook, enabled, flags, context)),
    )
  }
}

async function addOne(
  name: string,
  url: string,
  flags: WebhookAddFlags,
  context: CommandContext,
): Promise<void> {
  const { terminal } = context
  await withConsole(flags, context, async ({ console }) => {
    const made = await console.webhooks.add({
      name,
      url,
      tenant: flags.everyTenant ? '*' : (flags.tenant ?? 'default'),
      ...(flags.rule === undefined ? {} : { rules: flags.rule }),
      ...attributionOf(flags),
    })
    terminal.out(flags.json ? JSON.stringify(made) : made.secret)
    if (!flags.json) terminal.err(`Webhook ${made.id}. This signing secret is shown only once.`)
  })
}

async function list(flags: Flags, context: CommandContext): Promise<void> {
  const { terminal } = context
  await withConsole(flags, context, async ({ console }) => {
    const webhooks = await console.webhooks.list(flags.tenant === undefined ? {} : { tenant: flags.tenant })
    if (flags.json) return terminal.out(JSON.stringify({ webhooks }))
    if (webhooks.length === 0)
      return terminal.out('No webhook receives alerts. `holdfast webhooks add` adds one.')
    printTable(terminal, webhooks, WEBHOOK_COLUMNS)
  })
}

async function deliveries(
  webhook: number,
  flags: Flags & { limit: number },
  context: CommandContext,
): Promise<void> {
  const { terminal } = context
  await withConsole(flags, context, async ({ console }) => {
    const rows = await console.webhooks.deliveries(webhook, { limit: flags.limit })
    if (flags.json) return terminal.out(JSON.stringify({ deliveries: rows }))
    if (rows.length === 0) return terminal.out('No deliveries.')
    printTable(terminal, rows, DELIVERY_COLUMNS)
  })
}

async function removeOne(webhook: number, flags: Flags, context: CommandContext): Promise<void> {
  await withConsole(flags, context, async ({ console }) => {
    await console.webhooks.remove(webhook, attributionOf(flags))
    if (flags.json) return context.terminal.out(JSON.stringify({ id: webhook, removed: true }))
    context.terminal.out(`Webhook ${webhook} is removed.`)
  })
}

async function enableOne(
  webhook: number,
  enabled: boolean,
  flags: Flags,
  context: CommandContext,
): Promise<void> {
  await withConsole(flags, context, async ({ console }) => {
    const changed = await console.webhooks.enable(webhook, enabled, attributionOf(flags))
    if (flags.json) return context.terminal.out(JSON.stringify({ id: webhook, enabled, changed }))
    context.terminal.out(`Webhook ${webhook} ${changed ? 'is' : 'was already'} ${enabled ? 'on' : 'off'}.`)
  })
}

export async function testWebhook(webhook: number, flags: Flags, context: CommandContext): Promise<void> {
  const { terminal } = context
  await withConsole(flags, context, async ({ console }) => {
    const answer = await console.webhooks.test(webhook)
    if (flags.json) terminal.out(JSON.stringify(answer))
    else if (answer.arrived) terminal.out(`The test message arrived; the response was ${answer.status}.`)
    if (answer.arrived) return
    throw new CommandError({
      code: 'webhook_failed',
      message: `The test message did not arrive: ${answer.error}.`,
      remedy: 'Check the address with `holdfast webhooks list`, and that the receiver responds with 2xx.',
      exitCode: EXIT.failed,
    })
  })
}
