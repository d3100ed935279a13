/** `holdfast jobs show`: one job as it is now, with its attempts. */
import type { Command } from 'commander'
import type { Job } from '../../store/read.js'
import type { Attempt } from '../../store/rows.js'
import { withStore } from '../connect.js'
import { type DatabaseFlags, eitherCommand, jobIds } from '../flags.js'
import type { Context } from '../program.js'
import { excerpt, oneLine, printFacts, printTable } from '../table.js'
import type { Terminal } from '../terminal.js'
import { ago, moment, paintState, span } from '../words.js'

export function showCommand(context: Context): Command {
  return eitherCommand('show', 'one job as it is now, with its attempts', 'holdfast jobs show 42')
    .argument('<id>', 'the job')
    .action((id: string, flags: DatabaseFlags) => show(id, flags, context))
}

async function show(text: string, flags: DatabaseFlags, context: Context): Promise<void> {
  const [id = 0] = jobIds([text])
  const { terminal } = context
  await withStore(flags, context, async ({ store }) => {
    const job = await store.read.job(id)
    const attempts = await store.read.attempts(id)
    if (flags.json) return terminal.out(JSON.stringify({ ...job, history: attempts }))
    const { bold } = terminal.paint
    terminal.out(`${bold(`Job ${job.id}`)}  ${paintState(terminal.paint, job.state)(job.state)}`)
    printFacts(terminal, factsOf(job, terminal))
    if (attempts.length === 0) return
    terminal.out('')
    printAttempts(context, attempts)
    for (const attempt of attempts.slice(-TOLD_IN_FULL)) tellAttempt(context, attempt)
  })
}

const when = (time: Date | null): string | null => (time === null ? null : `${moment(time)}, ${ago(time)}`)

function factsOf(job: Job, terminal: Terminal): [string, string | null][] {
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
    ['priority', job.priority > 0 || job.priorityAsked > 0 ? String(job.priority) : null],
    ['made', `${when(job.createdAt)}, by ${job.createdBy}`],
    ['due', live && job.visibleAt > job.createdAt ? when(job.visibleAt) : null],
    [
      'attempts',
      `${job.attempt} of ${job.maxRetries + 1}${job.failures > 0 ? `, ${job.failures} failed` : ''}`,
    ],
    [
      'worker',
      job.leaseOwner === null ? null : `${job.leaseOwner}, its lease runs out ${ago(job.leaseExpiresAt)}`,
    ],
    ['cancel', job.cancelRequested && live ? 'asked for; the worker has been told' : null],
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

function itemsOf({ resultCount, targetCount }: Job): string | null {
  if (resultCount === 0 && targetCount === null) return null
  return `${resultCount}${targetCount === null ? '' : ` of ${targetCount}`}`
}

/** The last attempts, with what they threw and what they logged; `report` has all. */
const TOLD_IN_FULL = 5

function tellAttempt({ terminal }: Context, attempt: Attempt): void {
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

function printAttempts({ terminal }: Context, attempts: readonly Attempt[]): void {
  const { paint } = terminal
  printTable(terminal, attempts.slice(-50), [
    { title: 'attempt', of: ({ attempt }) => String(attempt), right: true },
    {
      title: 'outcome',
      of: ({ outcome }) => outcome,
      paint: (text, row) => paintState(paint, row.outcome)(text),
    },
    { title: 'worker', of: ({ worker }) => worker ?? '' },
    { title: 'ended', of: ({ finishedAt }) => moment(finishedAt)?.slice(0, 19) ?? '' },
    { title: 'ran', of: ranFor, right: true },
    { title: 'note', of: ({ errorMessage, reason }) => errorMessage ?? reason ?? '', gives: true },
  ])
}

function ranFor({ startedAt, claimedAt, finishedAt }: Attempt): string {
  const from = startedAt ?? claimedAt
  return from === null ? '' : span(finishedAt.getTime() - from.getTime())
}
