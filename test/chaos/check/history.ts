/** The history of each job, row by row as the triggers saw it: one place at a time, legal moves only, leases respected. */
import { legal } from '../../../src/domain/states/moves.js'
import type { State } from '../../../src/domain/states/states.js'
import type { Move } from '../audit.js'
import type { Evidence, Violation } from '../evidence.js'

/** Each transaction takes a job from the one place it is in to exactly one other, by legal moves; the end is the end. */
export function chain({ moves, jobs }: Evidence): Violation[] {
  return [...moves].flatMap(([job, all]) => {
    const mayReturn = jobs.get(job)?.kind === 'victim'
    let state: State | null = null
    for (const step of transactions(all)) {
      const [first] = step
      const left = step.filter(({ op }) => op === '-').map(({ state }) => state as State)
      const came = step.filter(arrives).map(({ state }) => state as State)
      if (left.length === 0 && came.length === 0) continue
      // Sent back by an operator: its last attempt stays where it is.
      if (mayReturn && state === 'failed' && left.length === 0) left.push(state)
      const path = pathOf(state, left, came)
      if (path === undefined || !isLegal([state, ...path])) {
        const rule = path === undefined ? 'the chain is broken' : 'an illegal move'
        const detail = `${state}: leaves ${left.join(', ') || 'nothing'}, comes to ${came.join(', ') || 'nothing'}`
        return [{ rule, job, detail, at: (first as Move).at }]
      }
      state = path.at(-1) ?? state
    }
    return []
  })
}

function transactions(moves: readonly Move[]): Move[][] {
  const steps: Move[][] = []
  for (const move of moves) {
    const last = steps.at(-1)
    if (last?.[0]?.xid === move.xid) last.push(move)
    else steps.push([move])
  }
  return steps
}

const arrives = ({ op, place, final }: Move) =>
  op === '+' && place !== 'item' && (place !== 'attempt' || final === true)

/** The order in which the places were visited; the rows of one transaction do not tell it by themselves. */
function pathOf(from: State | null, left: State[], came: State[]): State[] | undefined {
  if (came.length !== left.length + (from === null ? 1 : 0)) return undefined
  if (came.length === 1) return from === null || left[0] === from ? came : undefined
  for (const [index, next] of came.entries()) {
    const others = came.filter((_, other) => other !== index)
    const leaving = [...left]
    const at = from === null ? 0 : leaving.indexOf(from)
    if (at < 0) return undefined
    if (from !== null) leaving.splice(at, 1)
    const rest = pathOf(next, leaving, others)
    if (rest !== undefined && isLegal([from, next, ...rest])) return [next, ...rest]
  }
  return undefined
}

function isLegal(path: (State | null)[]): boolean {
  return path.every((to, index) => index === 0 || mayMove(path[index - 1] as State | null, to as State))
}

function mayMove(from: State | null, to: State): boolean {
  // An arrival at a target gets its place in line: it waited and waits.
  if (from === 'waiting' && to === 'waiting') return true
  if (from === 'running') return legal('running', to) || legal('assigned', to)
  return legal(from, to === 'running' ? 'assigned' : to)
}

/** The pair (attempt, lease) is new on each claim, the attempt rises, and each claim has exactly one end. */
export function claims({ moves }: Evidence): Violation[] {
  return [...moves].flatMap(([job, all]) => {
    const found: Violation[] = []
    const ends = all.filter(({ place }) => place === 'attempt')
    let last = 0
    for (const { attempt, lease, at } of all.filter(({ op, place }) => op === '+' && place === 'running')) {
      if (attempt <= last) {
        found.push({ rule: 'a pair came twice', job, at, detail: `attempt ${attempt} after ${last}` })
      }
      last = attempt
      const its = ends.filter((end) => end.attempt === attempt && end.lease === lease).length
      if (its !== 1) {
        const detail = `attempt ${attempt} of lease ${lease} has ${its} ends`
        found.push({ rule: 'a claim without its one end', job, at, detail })
      }
    }
    return found
  })
}

/**
 * A lease is taken back only when it has run out, unless its own worker gave it up, by the history of the attempt itself; a job is brought in,
 * and claimed, only when it is due.
 */
export function times({ moves, jobs }: Evidence): Violation[] {
  const found: Violation[] = []
  for (const [job, all] of moves) {
    const runAt = jobs.get(job)?.runAt
    for (const { place, op, at, outcome, expires, givenUp, due, xid, attempt } of all) {
      if (outcome === 'lost' && (expires === null || expires > at) && givenUp !== true) {
        const detail = `attempt ${attempt}: its lease ran until ${expires?.toISOString() ?? 'nobody knows when'}`
        found.push({ rule: 'a lease was taken back before it ran out', job, at, detail })
      }
      const broughtIn = () => all.some((other) => other.xid === xid && other.op === '+' && isIn(other))
      if (place === 'delayed' && op === '-' && due !== null && due > at && broughtIn()) {
        found.push({ rule: 'before it was due', job, at, detail: `due ${due.toISOString()}` })
      }
      if (place === 'running' && op === '+' && runAt != null && runAt > at) {
        found.push({ rule: 'before it was due', job, at, detail: `claimed, due ${runAt.toISOString()}` })
      }
    }
  }
  return found
}

const isIn = ({ place, state }: Move) => place === 'ready' || (place === 'held' && state === 'waiting')

/** A queue never runs more at once than it may. */
export function limits({ moves, jobs }: Evidence): Violation[] {
  const found: Violation[] = []
  const most = new Map(
    [...jobs.values()].flatMap(({ queueId, maxRunning }) =>
      maxRunning === null ? [] : [[queueId, maxRunning] as const],
    ),
  )
  const running = new Map<number, number>()
  const all = [...moves.values()].flat().filter(({ place }) => place === 'running')
  for (const { queue, op, at, job } of all.sort((a, b) => a.seq - b.seq)) {
    const limit = queue === null ? undefined : most.get(queue)
    if (limit === undefined || queue === null) continue
    const now = (running.get(queue) ?? 0) + (op === '+' ? 1 : -1)
    running.set(queue, now)
    if (op === '+' && now > limit) {
      found.push({ rule: 'more run than may', job, at, detail: `${now} at once, at most ${limit}` })
    }
  }
  return found
}
