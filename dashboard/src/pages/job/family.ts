/** The jobs that belong to one as a tree: children below what enqueued them, retries below what they retry. Pure. */
import type { AnswerOf } from '../../api/contract.js'

export type Family = AnswerOf<'GET /api/v1/jobs/{id}/related'>
export type Relative = Family['jobs'][number]

export interface Member {
  readonly job: Relative
  /** How it came to be below the one above it, or beside it. */
  readonly how: 'child' | 'retry' | 'trace' | null
  readonly below: readonly Member[]
}

/** Roots first; the tree of the job itself before jobs that only share its trace. */
export function familyOf(id: number, jobs: readonly Relative[]): readonly Member[] {
  const known = new Map(jobs.map((job) => [job.id, job]))
  const above = ({ id: own, parent_id, retry_of }: Relative) =>
    [retry_of, parent_id].find((each) => each !== null && each !== own && known.has(each)) ?? null
  const placed = new Set<number>()
  const member = (job: Relative, how: Member['how']): Member => {
    placed.add(job.id)
    const below = jobs.filter((each) => !placed.has(each.id) && above(each) === job.id)
    return {
      job,
      how,
      below: below.map((each) => member(each, each.retry_of === job.id ? 'retry' : 'child')),
    }
  }
  const own = member(known.get(rootOf(id, known, above)) ?? (jobs[0] as Relative), null)
  const others = jobs.filter((job) => !placed.has(job.id) && above(job) === null)
  return [own, ...others.map((job) => member(job, 'trace'))]
}

/** A circle ends where it was entered. */
function rootOf(
  id: number,
  known: ReadonlyMap<number, Relative>,
  above: (job: Relative) => number | null,
): number {
  const passed = new Set<number>()
  let at = id
  for (;;) {
    passed.add(at)
    const job = known.get(at)
    const next = job === undefined ? null : above(job)
    if (next === null || passed.has(next)) return at
    at = next
  }
}
