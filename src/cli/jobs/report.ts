/** `holdfast jobs report`: the whole story of a job, from its beginning to where it is now. */
import type { Command } from 'commander'
import { withStore } from '../connect.js'
import { type DatabaseFlags, eitherCommand, jobIds } from '../flags.js'
import type { Context } from '../program.js'
import { excerpt, printTable } from '../table.js'
import { moment, paintState, span } from '../words.js'

interface Told {
  readonly at: string
  readonly type: string
  readonly attempt?: number
  readonly actor?: string
  readonly reason?: string
}

interface Tried {
  readonly attempt: number
  readonly ran_ms?: number
  readonly result?: unknown
  readonly log?: string
  readonly error?: { readonly class?: string; readonly message?: string }
}

export function reportCommand(context: Context): Command {
  return eitherCommand(
    'report',
    'the whole story of a job; with --json everything that is kept',
    'holdfast jobs report 42',
  )
    .argument('<id>', 'the job')
    .action((id: string, flags: DatabaseFlags) => report(id, flags, context))
}

async function report(text: string, flags: DatabaseFlags, context: Context): Promise<void> {
  const [id = 0] = jobIds([text])
  const { terminal } = context
  await withStore(flags, context, async ({ store }) => {
    const story = await store.read.report(id)
    if (flags.json) return terminal.out(JSON.stringify(story))
    const { bold, dim } = terminal.paint
    const state = String(story.state)
    terminal.out(`${bold(`Job ${id}`)}  ${story.kind}  ${paintState(terminal.paint, state)(state)}`)
    tell(context, story.events as Told[])
    for (const tried of story.attempts as Tried[]) {
      if (tried.error) terminal.out(`${dim(`attempt ${tried.attempt} failed`)}  ${errorText(tried.error)}`)
      if (tried.log) for (const line of tried.log.trimEnd().split('\n')) terminal.out(dim(`  │ ${line}`))
      if (tried.result !== undefined && tried.result !== null)
        terminal.out(
          `${dim(`attempt ${tried.attempt} answered`)}  ${excerpt(terminal, JSON.stringify(tried.result), 200)}`,
        )
    }
  })
}

function errorText({ class: name, message }: NonNullable<Tried['error']>): string {
  return [name, message].filter(Boolean).join(': ')
}

function tell({ terminal }: Context, events: readonly Told[]): void {
  const began = Date.parse(events[0]?.at ?? '')
  printTable(terminal, events, [
    { title: 'at', of: ({ at }) => moment(at)?.slice(0, 19) ?? '', paint: terminal.paint.dim },
    { title: 'after', of: ({ at }) => span(Date.parse(at) - began), right: true, paint: terminal.paint.dim },
    {
      title: 'what',
      of: ({ type }) => type,
      paint: (text, { type }) => paintState(terminal.paint, type)(text),
    },
    { title: 'try', of: ({ attempt }) => (attempt === undefined ? '' : String(attempt)), right: true },
    { title: 'who', of: ({ actor }) => actor ?? '' },
    { title: 'why', of: ({ reason }) => reason ?? '', gives: true },
  ])
}
