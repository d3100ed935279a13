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
export function counts({ jobs, attempts, ends }: Evidence): Violation[] {
  const found: Violation[] = []
  const blamed = blamedLosses(attempts)
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
 * A job that has lost two leases in a row is tried alone. Where one such job had begun under the lease, the end of its worker is not the
 * doing of those that had not, and does not count.
 */
function blamedLosses(attempts: Evidence['attempts']): (attempt: AttemptFacts) => boolean {
  const tried = new Set(
    [...attempts.values()]
      .flat()
      .flatMap(({ outcome, startedAt, lease }) => (outcome === 'lost' && startedAt !== null ? [lease] : [])),
  )
  return ({ startedAt, lease }) => startedAt !== null || !tried.has(lease)
}

/** Worker processes stay up, whatever the database does. */
export function processes({ died }: Evidence): Violation[] {
  return died.map((detail) => ({ rule: 'a process did not stay up', detail }))
}
