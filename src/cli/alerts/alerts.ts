/** `holdfast alerts`: lists alerts, silences them, and changes alert rules. */
import { Command } from 'commander'
import { ALERT_STATES, type AlertState } from '../../domain/alerts.js'
import { given } from '../../json/given.js'
import type { Alert, AlertEvent, AlertRule, Alerts } from '../../store/alerts/alerts.js'
import { withConsole } from '../console/connect.js'
import {
  type AttributionFlags,
  attributionOf,
  consoleCommand,
  type DatabaseFlags,
  type TenantFlag,
  usageError,
  wholeNumber,
  withAttribution,
  withTenant,
} from '../flags.js'
import type { CommandContext } from '../program.js'
import { ago, moment } from '../terminal/format.js'
import { printFacts, printTable } from '../terminal/table.js'
import { testWebhook } from './webhooks.js'

type Flags = DatabaseFlags & AttributionFlags & Partial<TenantFlag>

const id = wholeNumber(1)

export function alertsCommand(context: CommandContext): Command {
  const command = new Command('alerts').description('list and silence alerts, change alert rules')
  command.addCommand(
    consoleCommand('list', 'list open alerts', 'holdfast alerts list', 'holdfast alerts list --all')
      .option('--tenant <name>', 'only of this tenant')
      .option('--state <state>', 'only pending, firing or cleared')
      .option('--rule <rule>', 'only of this rule')
      .option('--all', 'also cleared ones')
      .option('--limit <n>', 'most rows to show', wholeNumber(1, 500), 100)
      .action((flags: AlertListFlags) => list(flags, context)),
    { isDefault: true },
  )
  command.addCommand(
    consoleCommand('show', 'show an alert and its history', 'holdfast alerts show 3')
      .argument('<id>', 'id of the alert', id)
      .action((alert: number, flags: Flags) => show(alert, flags, context)),
  )
  command.addCommand(
    consoleCommand('history', 'list alert events, newest first', 'holdfast alerts history --limit 20')
      .option('--tenant <name>', 'only of this tenant')
      .option('--alert <id>', 'only of this alert', id)
      .option('--limit <n>', 'most rows to show', wholeNumber(1, 500), 50)
      .action((flags: HistoryFlags) => history(flags, context)),
  )
  for (const add of [addSilence, addRules, addTest]) add(command, context)
  return command
}

function addSilence(command: Command, context: CommandContext): void {
  const silence = consoleCommand(
    'silence',
    'send no notifications for an alert for a while',
    'holdfast alerts silence 3 --minutes 90 --reason "known, on it"',
  )
  command.addCommand(
    withAttribution(silence)
      .argument('<id>', 'id of the alert', id)
      .option('--minutes <n>', 'for how long', wholeNumber(1, 525_600))
      .option('--until <time>', 'end of the silence, like 2030-01-31T09:00:00Z')
      .action((alert: number, flags: SilenceFlags) => silenceOne(alert, flags, context)),
  )
  const unsilence = consoleCommand('unsilence', 'end a silence', 'holdfast alerts unsilence 3')
  command.addCommand(
    withAttribution(unsilence)
      .argument('<id>', 'id of the alert', id)
      .action((alert: number, flags: Flags) => unsilenceOne(alert, flags, context)),
  )
}

function addRules(command: Command, context: CommandContext): void {
  const rules = consoleCommand(
    'rules',
    'list alert rules; with a rule and a flag, change it',
    'holdfast alerts rules',
    'holdfast alerts rules depth --subject mail --threshold 5000',
    'holdfast alerts rules depth --subject mail --reset',
  )
  command.addCommand(
    withAttribution(withTenant(rules))
      .argument('[rule]', 'the rule to show or change')
      .option('--subject <name>', 'only for this queue, queue/kind or schedule', '')
      .option('--threshold <n>', 'alert above this value', wholeNumber(0, 1_000_000_000))
      .option('--for <seconds>', 'how long the value must be above before it fires', wholeNumber(0, 86_400))
      .option(
        '--clear <seconds>',
        'how long the value must be below before it clears',
        wholeNumber(0, 86_400),
      )
      .option('--on', 'enable the rule')
      .option('--off', 'disable the rule')
      .option('--reset', 'use the settings again')
      .action((rule: string | undefined, flags: RuleFlags) => changeOrShow(rule, flags, context)),
  )
}

function addTest(command: Command, context: CommandContext): void {
  command.addCommand(
    consoleCommand('test-webhook', 'send a test message to a webhook', 'holdfast alerts test-webhook 1')
      .argument('<id>', 'id of the webhook', id)
      .action((webhook: number, flags: Flags) => testWebhook(webhook, flags, context)),
  )
}

type AlertListFlags = Flags & { state?: AlertState; rule?: string; all?: boolean; limit: number }

async function list(
  { state, rule, all = false, limit, ...flags }: AlertListFlags,
  context: CommandContext,
): Promise<void> {
  const { terminal } = context
  if (state !== undefined && !ALERT_STATES.includes(state))
    throw usageError(`There is no state "${state}".`, 'Use pending, firing or cleared.')
  await withConsole(flags, context, async ({ console }) => {
    const alerts = await console.alerts.list({
      all,
      limit,
      ...given({ state, rule, tenant: flags.tenant }),
    })
    if (flags.json) return terminal.out(JSON.stringify({ alerts }))
    if (alerts.length === 0) return terminal.out('No alerts.')
    const { red, yellow, green } = terminal.paint
    const tint = { firing: red, pending: yellow, cleared: green }
    printTable(terminal, alerts, [
      { title: 'id', value: ({ id }) => String(id), right: true },
      { title: 'is', value: ({ state }) => state, paint: (text, row) => tint[row.state](text) },
      { title: 'since', value: ({ since }) => ago(since), right: true },
      { title: 'rule', value: ({ rule }) => rule },
      { title: 'what', value: ({ summary }) => summary, shrinks: true },
      { title: 'silenced', value: ({ silencedUntil }) => ago(silencedUntil) },
    ])
  })
}

async function show(alert: number, flags: Flags, context: CommandContext): Promise<void> {
  const { terminal } = context
  await withConsole(flags, context, async ({ console }) => {
    const found = await console.alerts.get(alert)
    const events = await console.alerts.history({ alert })
    if (flags.json) return terminal.out(JSON.stringify({ alert: found, events }))
    printFacts(terminal, factsOf(found))
    terminal.out('')
    printEvents(events, context)
  })
}

function factsOf(alert: Alert): [string, string | null][] {
  const { silencedUntil, silencedBy, silenceReason } = alert
  const by = [silencedBy, silenceReason].filter((text) => text !== null).join(': ')
  return [
    ['alert', String(alert.id)],
    ['is', alert.state],
    ['what', alert.summary],
    ['rule', alert.rule],
    ['subject', alert.subject],
    ['tenant', alert.tenant === '*' ? null : alert.tenant],
    ['value', `${alert.value}, threshold ${alert.threshold}`],
    ['since', moment(alert.since)],
    ['fired', moment(alert.firedAt)],
    [
      'silenced',
      silencedUntil === null ? null : `until ${moment(silencedUntil)}${by === '' ? '' : ` (${by})`}`,
    ],
  ]
}

type HistoryFlags = Flags & { alert?: number; limit: number }

async function history({ alert, limit, ...flags }: HistoryFlags, context: CommandContext): Promise<void> {
  await withConsole(flags, context, async ({ console }) => {
    const events = await console.alerts.history({
      limit,
      ...given({ alert, tenant: flags.tenant }),
    })
    if (flags.json) return context.terminal.out(JSON.stringify({ events }))
    if (events.length === 0) return context.terminal.out('No alert events.')
    printEvents(events, context)
  })
}

function printEvents(events: readonly AlertEvent[], { terminal }: CommandContext): void {
  printTable(terminal, events, [
    { title: 'when', value: ({ at }) => moment(at) ?? '' },
    { title: 'alert', value: ({ alertId }) => String(alertId), right: true },
    { title: 'event', value: ({ type }) => type },
    { title: 'rule', value: ({ rule }) => rule },
    { title: 'subject', value: ({ subject }) => subject, shrinks: true },
    { title: 'by', value: ({ actor }) => actor ?? '' },
    { title: 'why', value: ({ reason }) => reason ?? '' },
  ])
}

type SilenceFlags = Flags & { minutes?: number; until?: string }

async function silenceOne(alert: number, flags: SilenceFlags, context: CommandContext): Promise<void> {
  const { minutes, until } = flags
  if ((minutes === undefined) === (until === undefined))
    throw usageError('A silence needs an end.', 'Give either --minutes or --until.')
  if (until !== undefined && Number.isNaN(Date.parse(until)))
    throw usageError(`"${until}" is not a time.`, 'Write it as 2030-01-31T09:00:00Z.')
  await withConsole(flags, context, async ({ console }) => {
    const end =
      until === undefined ? { forMs: (minutes ?? 0) * 60_000 } : { until: new Date(until).toISOString() }
    const silencedUntil = await console.alerts.silence(alert, { ...end, ...attributionOf(flags) })
    if (flags.json) return context.terminal.out(JSON.stringify({ id: alert, silencedUntil }))
    context.terminal.out(`Alert ${alert} is silenced until ${moment(silencedUntil)}.`)
  })
}

async function unsilenceOne(alert: number, flags: Flags, context: CommandContext): Promise<void> {
  await withConsole(flags, context, async ({ console }) => {
    const done = await console.alerts.unsilence(alert, attributionOf(flags))
    if (flags.json) return context.terminal.out(JSON.stringify({ id: alert, changed: done }))
    context.terminal.out(done ? `Alert ${alert} is no longer silenced.` : `Alert ${alert} was not silenced.`)
  })
}

type RuleFlags = Flags & {
  readonly subject: string
  readonly threshold?: number
  readonly for?: number
  readonly clear?: number
  readonly on?: boolean
  readonly off?: boolean
  readonly reset?: boolean
}

async function changeOrShow(
  rule: string | undefined,
  flags: RuleFlags,
  context: CommandContext,
): Promise<void> {
  const options = optionsOf(flags)
  const changes = Object.keys(options).length > 0
  if (changes && rule === undefined)
    throw usageError('No rule given.', 'Name one: `holdfast alerts rules depth …`.')
  await withConsole(flags, context, async ({ console }) => {
    const { tenant = 'default', subject } = flags
    if (changes && rule !== undefined)
      await console.alerts.setRule(rule, options, { tenant, subject, ...attributionOf(flags) })
    const rules = (await console.alerts.rules(tenant)).filter(
      (row) => rule === undefined || row.rule === rule,
    )
    if (flags.json) return context.terminal.out(JSON.stringify({ rules }))
    printRules(rules, context)
  })
}

function optionsOf({
  threshold,
  for: forSec,
  clear: clearSec,
  on,
  off,
  reset,
}: RuleFlags): Parameters<Alerts['setRule']>[1] {
  if (reset) return { enabled: null, threshold: null, forSec: null, clearSec: null }
  return {
    ...given({ threshold, forSec, clearSec }),
    ...(on ? { enabled: true } : off ? { enabled: false } : {}),
  }
}

function printRules(rules: readonly AlertRule[], { terminal }: CommandContext): void {
  printTable(terminal, rules, [
    { title: 'rule', value: ({ rule }) => rule },
    { title: 'subject', value: ({ subject }) => subject },
    { title: 'above', value: ({ enabled, threshold }) => (enabled ? String(threshold) : 'off'), right: true },
    { title: 'for', value: ({ forSec }) => `${forSec} s`, right: true },
    { title: 'clear', value: ({ clearSec }) => `${clearSec} s`, right: true },
    { title: 'from', value: ({ origin, setting }) => (origin === 'set' ? 'set' : setting) },
    { title: 'meaning', value: (row) => row.of, shrinks: true, paint: terminal.paint.dim },
  ])
}
