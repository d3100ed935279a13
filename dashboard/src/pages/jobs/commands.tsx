/** Commands on the selected rows: a preview of what each would do, the reason, then a result for each job. */
import { LIMITS } from '../../../../src/domain/limits.js'
import { call } from '../../api/call.js'
import { confirm } from '../../ui/confirm.jsx'
import { count } from '../../ui/format.js'
import { act } from '../../ui/toast.jsx'
import { allowedVerbs } from '../job/actions.jsx'
import type { FoundJob } from './find.js'

export const BULK_VERBS = ['retry', 'resume', 'cancel', 'boost', 'discard'] as const
export type BulkVerb = (typeof BULK_VERBS)[number]

export const BULK_WORDS: Readonly<
  Record<BulkVerb, { readonly label: string; readonly done: string; readonly danger?: boolean }>
> = {
  retry: { label: 'Retry', done: 'retried' },
  cancel: { label: 'Cancel', done: 'canceled', danger: true },
  resume: { label: 'Resume', done: 'resumed' },
  boost: { label: 'Boost', done: 'boosted' },
  discard: { label: 'Discard', done: 'discarded', danger: true },
}

/** How many of them the command would change. */
export function fitting(jobs: readonly FoundJob[], verb: BulkVerb): number {
  return jobs.filter((job) => allowedVerbs(job).includes(verb)).length
}

/** By state: how many the command fits. */
function preview(jobs: readonly FoundJob[], verb: BulkVerb) {
  const states = new Map<string, { fits: number; all: number }>()
  for (const job of jobs) {
    const { fits, all } = states.get(job.state) ?? { fits: 0, all: 0 }
    const does = allowedVerbs(job).includes(verb)
    states.set(job.state, { fits: fits + (does ? 1 : 0), all: all + 1 })
  }
  return [...states].sort(([, a], [, b]) => b.all - a.all)
}

export async function commandSelected(jobs: readonly FoundJob[], verb: BulkVerb): Promise<boolean> {
  const { label, done, danger = false } = BULK_WORDS[verb]
  const states = preview(jobs, verb)
  const fits = states.reduce((sum, [, each]) => sum + each.fits, 0)
  const yes = await confirm({
    title: `${label} ${count(jobs.length, 'job')}?`,
    action: `${label} ${count(jobs.length, 'job')}`,
    danger,
    body: (
      <>
        <p>
          {fits === jobs.length
            ? 'All of them can be.'
            : `${count(fits, 'job')} can be; the others are refused and stay as they are.`}
        </p>
        <ul>
          {states.map(([state, each]) => (
            <li key={state}>
              {state}: {each.fits === each.all ? each.all : `${each.fits} of ${each.all}`}
            </li>
          ))}
        </ul>
      </>
    ),
  })
  if (yes === null) return false
  const ids = jobs.map(({ id }) => id)
  const answer = await act(
    ({ ok, refused }: { ok: number; refused: string[] }) =>
      refused.length === 0
        ? `${count(ok, 'job')} ${done}`
        : `${count(ok, 'job')} ${done}, ${refused.length} refused: ${refused[0]}`,
    async () => {
      const outcomes = []
      for (let at = 0; at < ids.length; at += LIMITS.bulkIdsMax.default) {
        const part = ids.slice(at, at + LIMITS.bulkIdsMax.default)
        const body = { command: verb, job_ids: part, ...yes.body }
        outcomes.push(...(await call('POST /api/v1/jobs/bulk', { body })).outcomes)
      }
      return {
        ok: outcomes.filter(({ ok }) => ok).length,
        refused: outcomes.filter(({ ok }) => !ok).map(({ detail, code }) => detail ?? code ?? ''),
      }
    },
  )
  return answer !== undefined
}
