/** What producers were promised, held against what is there. */
import type { Evidence, Violation } from '../evidence.js'

/** Every job that was acknowledged exists, and no job exists that nobody asked for, nor twice. */
export function promises({ jobs, producers, ends }: Evidence): Violation[] {
  const found: Violation[] = []
  const byToken = new Map<string, number>()
  for (const { id, token } of jobs.values()) {
    const other = token === null ? undefined : byToken.get(token)
    if (other !== undefined) {
      found.push({ rule: 'a job was made twice', job: id, detail: `${token} is also job ${other}` })
    }
    if (token !== null) byToken.set(token, id)
  }
  const intended = new Set<string>()
  for (const line of producers.flat()) {
    if (line.t === 'intent') intended.add(line.token)
    if (line.t === 'ack') {
      const job = line.existing ? (jobs.has(line.job) ? line.job : undefined) : byToken.get(line.token)
      if (job === undefined || (line.job !== 0 && job !== line.job)) {
        found.push({ rule: 'an acknowledged job is missing', job: line.job, detail: line.token })
      }
    }
    if (line.t === 'rolled back' && byToken.has(line.token)) {
      found.push({
        rule: 'a job that was rolled back',
        job: byToken.get(line.token) as number,
        detail: line.token,
      })
    }
    if (line.t === 'cancel' && line.result === 'canceled' && ends.get(line.job)?.movedTo !== 'canceled') {
      const state = ends.get(line.job)?.movedTo ?? 'not ended'
      found.push({ rule: 'a canceled job went on', job: line.job, detail: `it is ${state}` })
    }
  }
  for (const { id, token, parent } of jobs.values()) {
    if (token !== null && (intended.has(token) || isChild(token, parent, jobs))) continue
    found.push({ rule: 'a job from nowhere', job: id, detail: `token ${token}, parent ${parent}` })
  }
  return found
}

function isChild(token: string, parent: number | null, jobs: Evidence['jobs']): boolean {
  const of = parent === null ? undefined : jobs.get(parent)
  return of !== undefined && token === `${of.token}/child`
}

/** A job enqueued in a producer's own transaction is there if and only if what else was done in it is. */
export function ledger({ jobs, ledger }: Evidence): Violation[] {
  const tokens = new Set([...jobs.values()].map(({ token }) => token))
  return [...ledger]
    .filter((token) => !tokens.has(token))
    .map((token) => ({ rule: 'a transaction was kept by half', detail: `${token} is in the ledger only` }))
}

/** Children were enqueued in the transaction that completed their parent. */
export function children({ jobs, ends }: Evidence): Violation[] {
  const found: Violation[] = []
  const count = new Map<number, number>()
  for (const { parent } of jobs.values()) {
    if (parent !== null) count.set(parent, (count.get(parent) ?? 0) + 1)
  }
  for (const { id, kind } of jobs.values()) {
    if (kind !== 'parent') continue
    const should = ends.get(id)?.movedTo === 'succeeded' ? 1 : 0
    const is = count.get(id) ?? 0
    if (is !== should) {
      found.push({
        rule: 'a transaction was kept by half',
        job: id,
        detail: `${is} children, not ${should}`,
      })
    }
  }
  return found
}
