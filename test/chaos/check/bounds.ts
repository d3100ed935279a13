/** What has an upper bound, and what must have come to an end. */
import type { AttemptFacts, Evidence, Violation } from '../evidence.js'

/** After the drain every job has ended. */
export function ended({ live }: Evidence): Violation[] {
  return live.map(({ job, place, detail }) => ({
    rule: 'not ended after the drain',
    job,
    detail: detail === null ? place : `${place}, ${detail}`,
  }))
}

/** What the engine's own view finds. */
export function view({ found }: Evidence): Violation[] {
  return found.map(({ rule, job, detail }) => ({ rule, job, detail: detail ?? '' }))
}

/** Failures within the cap, losses in a row within the crash budget, and a poison job stopped by it. */
export function counts(evidence: Evidence): Violation[] {
  const { jobs, attempts, ends } = evidence
  const found: Violation[] = []
  const blamed = blamedLosses(evidence)
  for (const { id, kind, maxRetries, crashBudget } of jobs.values()) {
    // A person has let it go on, which sets both to nothing.
    if (kind === 'site') continue
    const all = attempts.get(id) ?? []
    const failures = all.filter(({ outcome }) => outcome === 'failed').length
    if (failures > maxRetries + 1) {
      const detail = `${failures} failures, at most ${maxRetries + 1}`
      found.push({ rule: 'too many failures', job: id, detail })
    }
    let losses = 0
    let most = 0
    for (const attempt of all) {
      losses = attempt.outcome === 'lost' ? losses + (blamed(attempt) ? 1 : 0) : 0
      most = Math.max(most, losses)
    }
    if (most > crashBudget) {
      found.push({ rule: 'too many losses in a row', job: id, detail: `${most}, at most ${crashBudget}` })
    }
    const end = ends.get(id)
    if (kind === 'poison' && end !== undefined && end.movedTo !== 'canceled' && end.reason !== 'crashed') {
      const detail = `it is ${end.movedTo}, ${end.reason}`
      found.push({ rule: 'a poison job was not stopped', job: id, detail })
    }
  }
  return found
}

/**
 * Of the jobs a dead worker held, those are blamed for certain that had begun by the database's account, and one that was all it held and had begun by the
 * worker's own. Others may not have begun, and then its end does not count for them.
 */
function blamedLosses({ attempts, workers }: Evidence): (attempt: AttemptFacts) => boolean {
  const lost = new Map<number | null, number>()
  for (const { outcome, lease } of [...attempts.values()].flat())
    if (outcome === 'lost') lost.set(lease, (lost.get(lease) ?? 0) + 1)
  const begun = new Set(
    workers
      .flat()
      .flatMap((line) => (line.t === 'begin' ? [`${line.job} ${line.attempt} ${line.lease}`] : [])),
  )
  return ({ startedAt, job, attempt, lease }) =>
    startedAt !== null || (lost.get(lease) === 1 && begun.has(`${job} ${attempt} ${lease}`))
}

/** Worker processes stay up, whatever the database does. */
export function processes({ died }: Evidence): Violation[] {
  return died.map((detail) => ({ rule: 'a process did not stay up', detail }))
}
