/** `holdfast jobs history`: shows all events and attempts of a job. */
import type { Command } from 'commander'
import { withConsole } from '../console/connect.js'
import { consoleCommand, type DatabaseFlags, jobIds } from '../flags.js'
import type { CommandContext } from '../program.js'
import { moment, paintState, span } from '../terminal/format.js'
import { excerpt, printTable } from '../terminal/table.js'

interface HistoryEvent {
  readonly at: string
  readonly type: string
  readonly attempt?: number
  readonly actor?: string
  readonly reason?: string
}

interface HistoryAttempt {
  readonly attempt: number
  readonly ran_ms?: number
  readonly result?: unknown
  readonly log?: string
  readonly error?: { readonly class?: string; readonly message?: string }
}

export function historyCommand(context: CommandContext): Command {
  return consoleCommand(
    'history',
    'show all events and attempts of a job; --json has all fields',
    'holdfast jobs history 42',
  )
    .argument('<id>', 'id of the job')
    .action((id: string, flags: DatabaseFlags) => history(id, flags, context))
}

async function history(text: string, flags: DatabaseFlags, context: CommandContext): Promise<void> {
  const [id = 0] = jobIds([text])
  const { terminal } = context
  await withConsole(flags, context, async ({ console }) => {
    const found = await console.read.history(id)
    if (flags.json) return terminal.out(JSON.stringify(found))
    const { bold, dim } = terminal.paint
    const state = String(found.state)
    terminal.out(`${bold(`Job ${id}`)}  ${found.kind}  ${paintState(terminal.paint, state)(state)}`)
    printEvents(context, found.events as HistoryEvent[])
    for (const attempt of found.attempts as HistoryAttempt[]) {
      if (attempt.error)
        terminal.out(`${dim(`attempt ${attempt.attempt} failed`)}  ${errorText(attempt.error)}`)
      if (attempt.log) for (const line of attempt.log.trimEnd().split('\n')) terminal.out(dim(`  │ ${line}`))
      if (attempt.result !== undefined && attempt.result !== null)
        terminal.out(
          `${dim(`attempt ${attempt.attempt} returned`)}  ${excerpt(terminal, JSON.stringify(attempt.result), 200)}`,
        )
    }
  })
}

function errorText({ class: name, message }: NonNullable<HistoryAttempt['error']>): string {
  return [name, message].filter(Boolean).join(': ')
}

function printEvents({ terminal }: CommandContext, events: readonly HistoryEvent[]): void {
  const began = Date.parse(events[0]?.at ?? '')
  printTable(terminal, events, [
    { title: 'at', value: ({ at }) => moment(at)?.slice(0, 19) ?? '', paint: terminal.paint.dim },
    {
      title: 'after',
      value: ({ at }) => span(Date.parse(at) - began),
      right: true,
      paint: terminal.paint.dim,
    },
    {
      title: 'what',
      value: ({ type }) => type,
      paint: (text, { type }) => paintState(terminal.paint, type)(text),
    },
    { title: 'try', value: ({ attempt }) => (attempt === undefined ? '' : String(attempt)), right: true },
    { title: 'who', value: ({ actor }) => actor ?? '' },
    { title: 'why', value: ({ reason }) => reason ?? '', shrinks: true },
  ])
}
