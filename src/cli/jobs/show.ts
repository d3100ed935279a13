/** `holdfast jobs show`: shows a job and its attempts. */
import type { Command } from 'commander'
import type { Job } from '../../store/job-reads.js'
import { withConsole } from '../console/connect.js'
import type { ShownAttempt } from '../console/console.js'
import { consoleCommand, type DatabaseFlags, jobIds } from '../flags.js'
import type { CommandContext } from '../program.js'
import { ago, moment, paintState, span, stateAndStatus } from '../terminal/format.js'
import { excerpt, oneLine, printFacts, printTable } from '../terminal/table.js'
import type { Terminal } from '../terminal/terminal.js'

export function showCommand(context: CommandContext): Command {
  return consoleCommand('show', 'show a job and its attempts', 'holdfast jobs show 42')
    .argument('<id>', 'id of the job')
    .action((id: string, flags: DatabaseFlags) => show(id, flags, context))
}

async function show(text: string, flags: DatabaseFlags, context: CommandContext): Promise<void> {
  const [id = 0] = jobIds([text])
  const { terminal } = context
  await withConsole(flags, context, async ({ console }) => {
    const job = await console.read.job(id)
    const attempts = await console.read.attempts(id)
    if (flags.json) return terminal.out(JSON.stringify({ ...job, history: attempts }))
    const { bold } = terminal.paint
    terminal.out(`${bold(`Job ${job.id}`)}  ${paintState(terminal.paint, job.state)(stateAndStatus(job))}`)
    printFacts(terminal, factsOf(job, terminal))
    if (attempts.length === 0) return
    terminal.out('')
    printAttempts(context, attempts)
    for (const attempt of attempts.slice(-DETAILED_ATTEMPTS)) printAttempt(context, attempt)
  })
}

const when = (time: Date | null): string | null => (time === null ? null : `${moment(time)}, ${ago(time)}`)

export function factsOf(job: Job, terminal: Pick<Terminal, 'columns'>): [string, string | null][] {
  const cut = (text: string) => excerpt(terminal, text, 500)
  const json = (value: unknown) => (value === null || value === undefined ? null : cut(JSON.stringify(value)))
  const live = job.finishedAt === null
  return [
    ['queue', job.tenant === 'default' ? job.queue : `${job.queue} of ${job.tenant}`],
    ['kind', job.kind],
    ['input', json(job.input)],
    ['key', job.key],
    ['target', job.target],
    ['subject', job.subject],
    ['priority', job.priority > 0 || job.initialPriority > 0 ? String(job.priority) : null],
    ['enqueued', `${when(job.createdAt)}, by ${job.createdBy}`],
    ['due', live && job.visibleAt > job.createdAt ? when(job.visibleAt) : null],
    [
      'attempts',
      `${job.attempt} of ${job.maxRetries + 1}${job.failures > 0 ? `, ${job.failures} failed` : ''}`,
    ],
    [
      'worker',
      job.leaseOwner === null ? null : `${job.leaseOwner}, its lease expires ${ago(job.leaseExpiresAt)}`,
    ],
    ['cancel', job.cancelRequested && live ? 'requested; the worker is notified' : null],
    ['progress', job.progressCount > 0 ? `${job.progressCount}, ${ago(job.lastProgressAt)}` : null],
    ['items', itemsOf(job)],
    [
      'tokens',
      job.tokensUsed > 0
        ? `${job.tokensUsed}${job.tokenLimit === null ? '' : ` of ${job.tokenLimit}`}`
        : null,
    ],
    ['ended', live ? null : when(job.finishedAt)],
    ['reason', job.reason === job.lastError ? null : job.reason],
    ['result', json(job.result)],
    ['error', job.lastError === null || job.state === 'succeeded' ? null : cut(job.lastError)],
    ['retry of', job.retryOf === null ? null : String(job.retryOf)],
  ]
}

function itemsOf({ resultCount, itemGoal }: Job): string | null {
  if (resultCount === 0 && itemGoal === null) return null
  return `${resultCount}${itemGoal === null ? '' : ` of ${itemGoal}`}`
}

/** Errors and logs of this many last attempts are shown; `jobs history` has all. */
const DETAILED_ATTEMPTS = 5

function printAttempt({ terminal }: CommandContext, attempt: ShownAttempt): void {
  const { dim } = terminal.paint
  const { errorClass, errorMessage, errorStack, logExcerpt } = attempt
  if (errorMessage === null && logExcerpt === null) return
  terminal.out(`\n${dim(`attempt ${attempt.attempt}`)}`)
  const thrown = errorStack ?? [errorClass, errorMessage].filter(Boolean).join(': ')
  for (const line of linesOf(thrown)) terminal.out(`  ${line}`)
  for (const line of linesOf(logExcerpt ?? '')) terminal.out(dim(`  │ ${line}`))
}

function linesOf(text: string): string[] {
  return text.trimEnd() === '' ? [] : text.trimEnd().split('\n').map(oneLine)
}

function printAttempts({ terminal }: CommandContext, attempts: readonly ShownAttempt[]): void {
  const { paint } = terminal
  printTable(terminal, attempts.slice(-50), [
    { title: 'attempt', value: ({ attempt }) => String(attempt), right: true },
    {
      title: 'outcome',
      value: ({ outcome }) => outcome,
      paint: (text, row) => paintState(paint, row.outcome)(text),
    },
    { title: 'worker', value: ({ worker }) => worker ?? '' },
    { title: 'ended', value: ({ finishedAt }) => moment(finishedAt)?.slice(0, 19) ?? '' },
    { title: 'ran', value: ranFor, right: true },
    { title: 'note', value: ({ errorMessage, reason }) => errorMessage ?? reason ?? '', shrinks: true },
  ])
}

export function ranFor({ startedAt, claimedAt, finishedAt }: ShownAttempt): string {
  const from = startedAt ?? claimedAt
  return from === null ? '' : span(finishedAt.getTime() - from.getTime())
}
