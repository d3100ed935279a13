/** Jobs of one target run one after the other and in order; a key has one live job. */
import type { Move } from '../audit.js'
import type { Evidence, JobFacts, Violation } from '../evidence.js'

interface Life {
  readonly job: JobFacts
  readonly from: number
  readonly to: number
  readonly at: Date
}

/** From the first row that satisfies `begins` to the row that ended the job. */
function livesOf({ jobs, moves }: Evidence, begins: (move: Move) => boolean): Life[] {
  return [...jobs.values()].flatMap((job) => {
    const all = moves.get(job.id) ?? []
    const first = all.find(begins)
    if (first === undefined) return []
    const end = all.find(({ place, final }) => place === 'attempt' && final === true)
    return [{ job, from: first.seq, to: end?.seq ?? Number.POSITIVE_INFINITY, at: first.at }]
  })
}

function overlaps(lives: readonly Life[], rule: string, of: (job: JobFacts) => string | null): Violation[] {
  const found: Violation[] = []
  const last = new Map<string, Life>()
  for (const life of [...lives].sort((a, b) => a.from - b.from)) {
    const name = of(life.job)
    if (name === null) continue
    const before = last.get(name)
    if (before !== undefined && life.from < before.to) {
      found.push({
        rule,
        job: life.job.id,
        at: life.at,
        detail: `${name}: job ${before.job.id} had not ended`,
      })
    }
    if (before === undefined || life.to > before.to) last.set(name, life)
  }
  return found
}

const isClaim = ({ place, op }: Move) => place === 'running' && op === '+'

export function targets(evidence: Evidence): Violation[] {
  return overlaps(livesOf(evidence, isClaim), 'two at once on a target', ({ target }) => target)
}

export function keys(evidence: Evidence): Violation[] {
  return overlaps(
    livesOf(evidence, ({ op }) => op === '+'),
    'two live jobs of a key',
    ({ key, queueId }) => (key === null ? null : `${queueId} ${key}`),
  )
}

/**
 * Who was promised first is served first: a job acknowledged before another one of the same target was even asked for begins before
 * it. Of jobs asked for at the same time, nobody can say which is first.
 */
export function order(evidence: Evidence): Violation[] {
  const began = new Map(livesOf(evidence, isClaim).map((life) => [life.job.token, life]))
  return evidence.producers.flatMap((lines) => {
    const found: Violation[] = []
    const latest = new Map<string, Life>()
    for (const line of lines) {
      if (line.t !== 'intent' && line.t !== 'ack') continue
      const life = began.get(line.token)
      const target = life?.job.target
      if (life === undefined || target == null) continue
      const before = latest.get(target)
      if (line.t === 'intent' && before !== undefined && life.from < before.from) {
        const detail = `${target}: began before job ${before.job.id}, which was there first`
        found.push({ rule: 'out of order', job: life.job.id, at: life.at, detail })
      }
      if (line.t === 'ack' && (before === undefined || life.from > before.from)) latest.set(target, life)
    }
    return found
  })
}
