/** `holdfast jobs show`: one job as it is now, with its attempts. */
import type { Command } from 'commander'
import type { Job } from '../../store/read.js'
import type { Attempt } from '../../store/rows.js'
import { withStore } from '../connect.js'
import { type DatabaseFlags, eitherCommand, jobIds } from '../flags.js'
import type { Context } from '../program.js'
import { printFacts, printTable, shorten } from '../table.js'
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
    printFacts(terminal, factsOf(job))
    if (attempts.length === 0) return
    terminal.out('')
    printAttempts(context, attempts)
  })
}

const when = (time: Date | null): string | null => (time === null ? null : `${moment(time)}, ${ago(time)}`)

function factsOf(job: Job): [string, string | null][] {
  const live = job.finishedAt === null
  return [
    ['queue', job.tenant === 'default' ? job.queue : `${job.queue} of ${job.tenant}`],
    ['kind', job.kind],
    ['input', json(job.input)],
    ['key', job.key],
    ['target', job.target],
    ['subject', job.subject],
    ['priority', job.priority > 0 || job.priorityAsked > 0 ? String(job.priority) : null],
    ['made', `${when(job.createdAt)}, by ${job.enqueuedBy}`],
    ['due', live && job.visibleAt > job.createdAt ? when(job.visibleAt) : null],
    ['attempts', `${job.attempt} of ${job.maxAttempts}${job.failures > 0 ? `, ${job.failures} failed` : ''}`],
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
    ['error', job.lastError === null || job.state === 'succeeded' ? null : shorten(job.lastError, 500)],
    ['retry of', job.retryOf === null ? null : String(job.retryOf)],
  ]
}

function itemsOf({ resultCount, targetCount }: Job): string | null {
  if (resultCount === 0 && targetCount === null) return null
  return `${resultCount}${targetCount === null ? '' : ` of ${targetCount}`}`
}

/** Data may be a megabyte; who wants all of it asks for JSON. */
function json(value: unknown): string | null {
  return value === null || value === undefined ? null : shorten(JSON.stringify(value), 500)
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
