/** What handlers wrote down themselves, outside of the database: no crash of it takes that back. */
import type { Evidence, Violation } from '../evidence.js'
import type { Begun } from '../journal.js'

/** (job, attempt, lease) is handed out once, and by a claim that is there. */
export function triples({ workers, moves }: Evidence): Violation[] {
  const found: Violation[] = []
  const begun = new Map<string, Begun>()
  for (const line of workers.flat()) {
    if (line.t !== 'begin') continue
    const { job, attempt, lease, by } = line
    const triple = `${job} ${attempt} ${lease}`
    const before = begun.get(triple)
    begun.set(triple, line)
    const name = `attempt ${attempt} of lease ${lease}`
    if (before !== undefined) {
      found.push({ rule: 'a triple began twice', job, detail: `${name}: in ${before.by} and in ${by}` })
    }
    const isClaimed = (moves.get(job) ?? []).some(
      (move) =>
        move.place === 'running' && move.op === '+' && move.attempt === attempt && move.lease === lease,
    )
    if (!isClaimed) {
      found.push({
        rule: 'a handler began under a claim that is not there',
        job,
        detail: `${name}, in ${by}`,
      })
    }
  }
  return found
}

/** A lease from which a sweep has taken something is never renewed; a revocation names the attempt that was ended, not the one after it. */
export function renewals({ workers }: Evidence): Violation[] {
  return workers.flat().flatMap((line): Violation[] => {
    if (line.t === 'renewed' && line.alive && line.swept > 0) {
      const detail = `lease ${line.lease}, from which a sweep had taken ${line.swept} jobs`
      return [{ rule: 'a swept lease was renewed', detail }]
    }
    if (line.t === 'revoked' && (line.attempt === null || line.attempt === line.current)) {
      const detail = `attempt ${line.attempt ?? 'unknown'}, while ${line.current} runs`
      return [{ rule: 'the wrong attempt was revoked', job: line.job, detail }]
    }
    return []
  })
}

interface Run extends Begun {
  /** When it ended, was aborted, or its process could do nothing more: it was killed or frozen. */
  readonly until: number
}

/** Two handlers of one job, or of one target, never at once; one that was aborted does not count any more. */
export function overlaps(evidence: Evidence): Violation[] {
  const runs = runsOf(evidence)
  return [
    ...overlapsBy(runs, 'two handlers of a job at once', ({ job }) => String(job)),
    ...overlapsBy(runs, 'two handlers at a target at once', ({ queue, target }) =>
      target === null ? null : `${queue} ${target}`,
    ),
  ]
}

function runsOf({ workers, processes }: Evidence): Run[] {
  const stops = new Map<string, number[]>()
  const stop = (name: string, at: number) => stops.set(name, [...(stops.get(name) ?? []), at])
  for (const { by, at } of processes) stop(by, at)
  const nameOf = ({ job, attempt, lease, by }: { job: number; attempt: number; lease: number; by: string }) =>
    `${job} ${attempt} ${lease} ${by}`
  for (const line of workers.flat()) if (line.t === 'aborted' || line.t === 'end') stop(nameOf(line), line.at)
  return workers
    .flat()
    .filter((line): line is Begun => line.t === 'begin')
    .map((begun) => {
      const its = [...(stops.get(nameOf(begun)) ?? []), ...(stops.get(begun.by) ?? [])]
      return { ...begun, until: Math.min(...its.filter((at) => at >= begun.at), Number.POSITIVE_INFINITY) }
    })
}

function overlapsBy(runs: readonly Run[], rule: string, of: (run: Run) => string | null): Violation[] {
  const found: Violation[] = []
  const last = new Map<string, Run>()
  for (const run of [...runs].sort((a, b) => a.at - b.at)) {
    const name = of(run)
    if (name === null) continue
    const before = last.get(name)
    if (before !== undefined && run.at < before.until) {
      const ms = Math.round((Math.min(run.until, before.until) - run.at) / 1_000)
      const one = ({ job, attempt, lease, by }: Run) =>
        `job ${job}, attempt ${attempt}, lease ${lease} in ${by}`
      found.push({ rule, job: run.job, detail: `${one(before)}; ${one(run)}; for ${ms} ms` })
    }
    if (before === undefined || run.until > before.until) last.set(name, run)
  }
  return found
}
