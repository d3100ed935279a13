/** What a drain waited for: where the jobs that ended last had been since everything was well again. A slow drain is to be explained. */
import type { Move } from './audit.js'
import type { Evidence } from './evidence.js'

const LATE_MS = 10_000
const NAMED = 5

/** The last to end of those that ended late, one line each; none where the drain was quick. */
export function heldUp({ jobs, moves, attempts }: Evidence, healedAt: Date): string[] {
  const since = healedAt.getTime()
  const late = [...moves]
    .map(([job, all]) => ({ job, all, endedAt: endOf(all)?.at.getTime() ?? Number.POSITIVE_INFINITY }))
    .filter(({ endedAt }) => endedAt - since > LATE_MS)
    .sort((a, b) => b.endedAt - a.endedAt)
  return late.slice(0, NAMED).map(({ job, all, endedAt }) => {
    const where = Object.entries(timeIn(all, since)).map(([place, ms]) => `${place} ${seconds(ms)}`)
    const how = (attempts.get(job) ?? [])
      .filter(({ finishedAt }) => finishedAt.getTime() >= since)
      .map(({ outcome, reason }) =>
        reason === null || reason.length > 40 ? outcome : `${outcome} (${reason})`,
      )
    const ended = Number.isFinite(endedAt) ? `ended after ${seconds(endedAt - since)}` : 'has not ended'
    return `job ${job} (${jobs.get(job)?.kind}) ${ended}: ${where.join(', ')}; ${how.join(', ')}`
  })
}

const endOf = (all: readonly Move[]) => all.find(({ place, final }) => place === 'attempt' && final === true)

function timeIn(all: readonly Move[], since: number): Record<string, number> {
  const spent: Record<string, number> = {}
  let came: Move | undefined
  for (const move of all) {
    if (move.place === 'attempt' || move.place === 'item') continue
    if (move.op === '+') came = move
    else if (came !== undefined) {
      const ms = move.at.getTime() - Math.max(since, came.at.getTime())
      if (ms > 0) spent[came.state ?? came.place] = (spent[came.state ?? came.place] ?? 0) + ms
      came = undefined
    }
  }
  return spent
}

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`
