/** Who wrote what: a worker that has lost a job never writes to it, and what it was told stays true. */
import type { Evidence, Violation } from '../evidence.js'

/** Kinds whose handlers write their effect in the transaction that completes the job. */
const COMMITTED = ['commit', 'lane', 'flaky', 'parent']
/** Kinds that write it before, on a connection of their own: at least once. */
const BEFORE = ['plain', 'few', 'keyed', 'rare', 'child', 'snooze', 'hog', 'site', 'far']

const STALE = 'a stale pair wrote'

/** Results and items carry the pair of the claim whose handler made them. */
export function stale({ attempts, moves }: Evidence): Violation[] {
  const found: Violation[] = []
  for (const { job, attempt, lease, result, finishedAt, outcome } of [...attempts.values()].flat()) {
    if (outcome !== 'succeeded' || result === null || result.attempt === undefined) continue
    if (result.attempt === attempt && result.lease === lease) continue
    const detail = `attempt ${attempt} of lease ${lease} has the result of ${JSON.stringify(result)}`
    found.push({ rule: STALE, job, at: finishedAt, detail })
  }
  for (const [job, all] of moves) {
    for (const { place, attempt, seq, at } of all) {
      if (place !== 'item') continue
      const its = (op: string) => (move: (typeof all)[number]) =>
        move.place === 'running' && move.op === op && move.attempt === attempt
      const began = all.find(its('+'))?.seq ?? Number.POSITIVE_INFINITY
      const ended = all.find(its('-'))?.seq ?? Number.POSITIVE_INFINITY
      if (seq < began || seq > ended) {
        found.push({ rule: STALE, job, at, detail: `an item of attempt ${attempt}, which did not run then` })
      }
    }
  }
  return found
}

/** An ending that was accepted is there, as it was said. */
export function accepted({ attempts, workers }: Evidence): Violation[] {
  return workers.flat().flatMap((line) => {
    if (line.t !== 'ended' || !line.accepted) return []
    const row = attempts.get(line.job)?.find(({ attempt }) => attempt === line.attempt)
    const same =
      row?.outcome === line.outcome || (row?.outcome === 'canceled' && line.outcome !== 'succeeded')
    if (same) return []
    const detail = `attempt ${line.attempt} was accepted as ${line.outcome} and is ${row?.outcome ?? 'not there'}`
    return [{ rule: 'an accepted ending is missing', job: line.job, detail }]
  })
}

/** Exactly one effect for each success where it is tied to the completion, and none without; at least one elsewhere. */
export function effects({ jobs, ends, effects }: Evidence): Violation[] {
  const found: Violation[] = []
  for (const { id, kind } of jobs.values()) {
    const end = ends.get(id)
    const done = effects.get(id) ?? []
    const succeeded = end?.movedTo === 'succeeded'
    const ours = done.filter(({ attempt, lease }) => attempt === end?.attempt && lease === end.lease)
    const at = done.at(-1)?.at
    const when = at === undefined ? {} : { at }
    if (COMMITTED.includes(kind)) {
      if (done.length !== (succeeded ? 1 : 0)) {
        const detail = `${done.length} effects of a job that is ${end?.movedTo ?? 'not ended'}`
        found.push({ rule: 'effects differ', job: id, detail, ...when })
      } else if (ours.length !== done.length) {
        const detail = `the effect is of attempt ${done[0]?.attempt}, the success of ${end?.attempt}`
        found.push({ rule: STALE, job: id, detail, ...when })
      }
    } else if (BEFORE.includes(kind) && succeeded && ours.length !== 1) {
      const detail = `${ours.length} effects of the attempt that succeeded`
      found.push({ rule: 'effects differ', job: id, detail, ...when })
    }
  }
  return found
}

/** A job that reports goes on where the last attempt stood: nothing is missing, nothing twice. */
export function items({ jobs, ends, items }: Evidence): Violation[] {
  return [...jobs.values()].flatMap(({ id, kind, items: should }) => {
    const end = ends.get(id)
    if (kind !== 'report' || end?.movedTo !== 'succeeded' || end.worker?.startsWith('zombie')) return []
    const is = items.get(id) ?? 0
    return is === should ? [] : [{ rule: 'counters differ', job: id, detail: `${is} items, not ${should}` }]
  })
}
