/** `holdfast alerts`: what the system found wrong with itself, what counts as wrong, and quiet for a while. */
import { Command } from 'commander'
import { ALERT_STATES, type AlertState } from '../domain/alerts.js'
import { given } from '../domain/given.js'
import type { Alert, AlertEvent, AlertRuleNow, Alerts } from '../store/alerts.js'
import { withStore } from './connect.js'
import {
  type ActFlags,
  actOf,
  type DatabaseFlags,
  eitherCommand,
  type TenantFlag,
  usageError,
  wholeNumber,
  withAct,
  withTenant,
} from './flags.js'
import type { Context } from './program.js'
import { printFacts, printTable } from './table.js'
import { testWebhook } from './webhooks.js'
import { ago, moment } from './words.js'

type Flags = DatabaseFlags & ActFlags & Partial<TenantFlag>

const id = wholeNumber(1)

export function alertsCommand(context: Context): Command {
  const command = new Command('alerts').description('what the system found wrong with itself')
  command.addCommand(
    eitherCommand('list', 'what is wrong now', 'holdfast alerts list', 'holdfast alerts list --all')
      .option('--tenant <name>', 'only of this tenant')
      .option('--state <state>', 'only pending, firing or cleared')
      .option('--rule <rule>', 'only of this rule')
      .option('--all', 'also what has cleared')
      .option('--limit <n>', 'how many', wholeNumber(1, 500), 100)
      .action((flags: ListFlags) => list(flags, context)),
    { isDefault: true },
  )
  command.addCommand(
    eitherCommand('show', 'one alert and what happened to it', 'holdfast alerts show 3')
      .argument('<id>', 'of the alert', id)
      .action((alert: number, flags: Flags) => show(alert, flags, context)),
  )
  command.addCommand(
    eitherCommand('history', 'what happened, the newest first', 'holdfast alerts history --limit 20')
      .option('--tenant <name>', 'only of this tenant')
      .option('--alert <id>', 'only of this alert', id)
      .option('--limit <n>', 'how many', wholeNumber(1, 500), 50)
      .action((flags: HistoryFlags) => history(flags, context)),
  )
  for (const add of [addSilence, addRules, addTest]) add(command, context)
  return command
}

function addSilence(command: Command, context: Context): void {
  const silence = eitherCommand(
    'silence',
    'tell nobody of an alert for a while',
    'holdfast alerts silence 3 --minutes 90 --reason "known, on it"',
  )
  command.addCommand(
    withAct(silence)
      .argument('<id>', 'of the alert', id)
      .option('--minutes <n>', 'for how long', wholeNumber(1, 525_600))
      .option('--until <time>', 'until when, with its zone, as in 2030-01-31T09:00:00Z')
      .action((alert: number, flags: SilenceFlags) => silenceOne(alert, flags, context)),
  )
  const unsilence = eitherCommand('unsilence', 'end a silence', 'holdfast alerts unsilence 3')
  command.addCommand(
    withAct(unsilence)
      .argument('<id>', 'of the alert', id)
      .action((alert: number, flags: Flags) => unsilenceOne(alert, flags, context)),
  )
}

function addRules(command: Command, context: Context): void {
  const rules = eitherCommand(
    'rules',
    'what counts as wrong; with a rule and a flag, change it',
    'holdfast alerts rules',
    'holdfast alerts rules depth --subject mail --threshold 5000',
    'holdfast alerts rules depth --subject mail --reset',
  )
  command.addCommand(
    withAct(withTenant(rules))
      .argument('[rule]', 'the rule to show or change')
      .option('--subject <name>', 'only for this queue, queue/kind or schedule', '')
      .option('--threshold <n>', 'wrong above this', wholeNumber(0, 1_000_000_000))
      .option('--for <seconds>', 'how long it must be wrong before it fires', wholeNumber(0, 86_400))
      .option('--clear <seconds>', 'how long it must be right before it clears', wholeNumber(0, 86_400))
      .option('--on', 'look at it again')
      .option('--off', 'do not look at it')
      .option('--reset', 'as the settings say')
      .action((rule: string | undefined, flags: RuleFlags) => changeOrShow(rule, flags, context)),
  )
}

function addTest(command: Command, context: Context): void {
  command.addCommand(
    eitherCommand(
      'test-webhook',
      'call a webhook now with a message that says it is a test',
      'holdfast alerts test-webhook 1',
    )
      .argument('<id>', 'of the webhook', id)
      .action((webhook: number, flags: Flags) => testWebhook(webhook, flags, context)),
  )
}

type ListFlags = Flags & { state?: AlertState; rule?: string; all?: boolean; limit: number }

async function list(
  { state, rule, all = false, limit, ...flags }: ListFlags,
  context: Context,
): Promise<void> {
  const { terminal } = context
  if (state !== undefined && !ALERT_STATES.includes(state))
    throw usageError(`There is no state "${state}".`, 'Use pending, firing or cleared.')
  await withStore(flags, context, async ({ store }) => {
    const alerts = await store.alerts.list({
      all,
      limit,
      ...given({ state, rule, tenant: flags.tenant }),
    })
    if (flags.json) return terminal.out(JSON.stringify({ alerts }))
    if (alerts.length === 0) return terminal.out('Nothing is wrong.')
    const { red, yellow, green } = terminal.paint
    const tint = { firing: red, pending: yellow, cleared: green }
    printTable(terminal, alerts, [
      { title: 'id', of: ({ id }) => String(id), right: true },
      { title: 'is', of: ({ state }) => state, paint: (text, row) => tint[row.state](text) },
      { title: 'since', of: ({ since }) => ago(since), right: true },
      { title: 'rule', of: ({ rule }) => rule },
      { title: 'what', of: ({ summary }) => summary, gives: true },
      { title: 'silenced', of: ({ silencedUntil }) => ago(silencedUntil) },
    ])
  })
}

async function show(alert: number, flags: Flags, context: Context): Promise<void> {
  const { terminal } = context
  await withStore(flags, context, async ({ store }) => {
    const one = await store.alerts.get(alert)
    const events = await store.alerts.history({ alert })
    if (flags.json) return terminal.out(JSON.stringify({ alert: one, events }))
    printFacts(terminal, factsOf(one))
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
    ['value', `${alert.value}, wrong above ${alert.threshold}`],
    ['since', moment(alert.since)],
    ['fired', moment(alert.firedAt)],
    [
      'silenced',
      silencedUntil === null ? null : `until ${moment(silencedUntil)}${by === '' ? '' : ` (${by})`}`,
    ],
  ]
}

type HistoryFlags = Flags & { alert?: number; limit: number }

async function history({ alert, limit, ...flags }: HistoryFlags, context: Context): Promise<void> {
  await withStore(flags, context, async ({ store }) => {
    const events = await store.alerts.history({
      limit,
      ...given({ alert, tenant: flags.tenant }),
    })
    if (flags.json) return context.terminal.out(JSON.stringify({ events }))
    if (events.length === 0) return context.terminal.out('Nothing has been wrong.')
    printEvents(events, context)
  })
}

function printEvents(events: readonly AlertEvent[], { terminal }: Context): void {
  printTable(terminal, events, [
    { title: 'when', of: ({ at }) => moment(at) ?? '' },
    { title: 'alert', of: ({ alertId }) => String(alertId), right: true },
    { title: 'became', of: ({ type }) => type },
    { title: 'rule', of: ({ rule }) => rule },
    { title: 'subject', of: ({ subject }) => subject, gives: true },
    { title: 'by', of: ({ actor }) => actor ?? '' },
    { title: 'why', of: ({ reason }) => reason ?? '' },
  ])
}

type SilenceFlags = Flags & { minutes?: number; until?: string }

async function silenceOne(alert: number, flags: SilenceFlags, context: Context): Promise<void> {
  const { minutes, until } = flags
  if ((minutes === undefined) === (until === undefined))
    throw usageError('A silence ends.', 'Say --minutes or --until.')
  if (until !== undefined && Number.isNaN(Date.parse(until)))
    throw usageError(`"${until}" is no time.`, 'Write it as 2030-01-31T09:00:00Z.')
  await withStore(flags, context, async ({ store }) => {
    const end =
      until === undefined ? { forMs: (minutes ?? 0) * 60_000 } : { until: new Date(until).toISOString() }
    const silencedUntil = await store.alerts.silence(alert, { ...end, ...actOf(flags) })
    if (flags.json) return context.terminal.out(JSON.stringify({ id: alert, silencedUntil }))
    context.terminal.out(`Nobody is told of alert ${alert} until ${moment(silencedUntil)}.`)
  })
}

async function unsilenceOne(alert: number, flags: Flags, context: Context): Promise<void> {
  await withStore(flags, context, async ({ store }) => {
    const done = await store.alerts.unsilence(alert, actOf(flags))
    if (flags.json) return context.terminal.out(JSON.stringify({ id: alert, changed: done }))
    context.terminal.out(done ? `Alert ${alert} is told of again.` : `Alert ${alert} was not silenced.`)
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

async function changeOrShow(rule: string | undefined, flags: RuleFlags, context: Context): Promise<void> {
  const options = optionsOf(flags)
  const changes = Object.keys(options).length > 0
  if (changes && rule === undefined)
    throw usageError('Which rule?', 'Name it: `holdfast alerts rules depth …`.')
  await withStore(flags, context, async ({ store }) => {
    const { tenant = 'default', subject } = flags
    if (changes && rule !== undefined)
      await store.alerts.setRule(rule, options, { tenant, subject, ...actOf(flags) })
    const rules = (await store.alerts.rules(tenant)).filter((row) => rule === undefined || row.rule === rule)
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

function printRules(rules: readonly AlertRuleNow[], { terminal }: Context): void {
  printTable(terminal, rules, [
    { title: 'rule', of: ({ rule }) => rule },
    { title: 'subject', of: ({ subject }) => subject },
    { title: 'above', of: ({ enabled, threshold }) => (enabled ? String(threshold) : 'off'), right: true },
    { title: 'for', of: ({ forSec }) => `${forSec} s`, right: true },
    { title: 'clear', of: ({ clearSec }) => `${clearSec} s`, right: true },
    { title: 'from', of: ({ origin, setting }) => (origin === 'set' ? 'set' : setting) },
    { title: 'what is wrong then', of: (row) => row.of, gives: true, paint: terminal.paint.dim },
  ])
}
