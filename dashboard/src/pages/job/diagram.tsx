/** The states of a job as a picture, with the path that this one took. */
import { useLayoutEffect, useRef } from 'preact/hooks'
import { MOVES } from '../../../../src/domain/states/moves.js'
import type { State } from '../../../../src/domain/states/states.js'
import { toneOf } from '../../ui/badge.jsx'
import { type Attempt, type Job, pathOf } from './timeline.js'

const WIDTH = 76
const HEIGHT = 24

/** Columns from left to right: arrives, waits, runs, ends; what is held lies below the line. */
const AT: Readonly<Record<State, readonly [x: number, y: number]>> = {
  pending: [0, 0],
  scheduled: [0, 48],
  waiting: [0, 96],
  retrying: [104, 0],
  queued: [104, 48],
  paused: [104, 96],
  assigned: [208, 48],
  parked: [208, 96],
  running: [312, 48],
  errored: [312, 96],
  succeeded: [416, 0],
  failed: [416, 48],
  canceled: [416, 96],
}

/** Arrows that a person wants to see; all the others are drawn when the job has gone them. */
const ALWAYS: ReadonlySet<string> = new Set([
  ...['pending queued', 'scheduled queued', 'waiting queued', 'retrying queued', 'queued assigned'],
  ...['assigned running', 'running succeeded', 'running failed', 'running canceled', 'running retrying'],
  ...['running errored', 'assigned parked'],
])

const MOVABLE: ReadonlySet<string> = new Set(
  MOVES.filter(({ from }) => from !== null).map(({ from, to }) => `${from} ${to}`),
)

interface DiagramProps {
  readonly job: Job
  readonly attempts: readonly Attempt[]
}

/** On a phone it is wider than the screen, and scrolled to the state of the job. */
export function StateDiagram(props: DiagramProps) {
  const box = useRef<HTMLElement>(null)
  useLayoutEffect(() => {
    const [whole, now] = [box.current, box.current?.querySelector('.now rect')]
    if (!whole || !now) return
    const { left, width } = now.getBoundingClientRect()
    whole.scrollLeft += left + width / 2 - whole.getBoundingClientRect().left - whole.clientWidth / 2
  }, [props.job.state])
  return (
    <section ref={box} class="diagram-scroll" aria-label="States and the path of the job" tabIndex={0}>
      <Diagram {...props} />
    </section>
  )
}

function Diagram({ job, attempts }: DiagramProps) {
  const path = pathOf(job, attempts)
  const gone = new Set(path.slice(1).map((to, n) => `${path[n]} ${to}`))
  const arrows = [...new Set([...[...ALWAYS].filter((arrow) => MOVABLE.has(arrow)), ...gone])]
  const sorted = arrows.sort((a, b) => Number(gone.has(a)) - Number(gone.has(b)))
  return (
    <svg
      class="diagram"
      viewBox={`-2 -2 ${416 + WIDTH + 4} ${96 + HEIGHT + 4}`}
      role="img"
      aria-label={`States: ${path.join(', then ')}`}
    >
      <defs>
        {(['plain', 'lit'] as const).map((name) => (
          <marker
            key={name}
            id={`arrow-${name}`}
            class={name}
            viewBox="0 0 6 6"
            refX="5"
            refY="3"
            markerWidth="6"
            markerHeight="6"
            orient="auto"
          >
            <path d="M0 0 6 3 0 6z" />
          </marker>
        ))}
      </defs>
      {sorted.map((arrow) => {
        const [from, to] = arrow.split(' ') as [State, State]
        const lit = gone.has(arrow)
        return (
          <path
            key={arrow}
            class={`diagram-arrow${lit ? ' lit' : ''}`}
            d={arrowOf(from, to)}
            marker-end={`url(#arrow-${lit ? 'lit' : 'plain'})`}
          />
        )
      })}
      {(Object.keys(AT) as State[]).map((state) => {
        const [x, y] = AT[state]
        const now = state === job.state
        const been = path.includes(state)
        return (
          <g key={state} class={`diagram-state ${now ? `now ${toneOf(state)}` : been ? 'been' : ''}`}>
            <rect x={x} y={y} width={WIDTH} height={HEIGHT} rx="6" />
            <text x={x + WIDTH / 2} y={y + 16} text-anchor="middle">
              {state}
            </text>
          </g>
        )
      })}
    </svg>
  )
}

/** From the edge of one box to the edge of another. */
function arrowOf(from: State, to: State): string {
  const [ax, ay] = AT[from]
  const [bx, by] = AT[to]
  const middle = HEIGHT / 2
  if (bx > ax) {
    const [x1, y1, x2, y2] = [ax + WIDTH, ay + middle, bx - 1, by + middle]
    const bend = (x2 - x1) / 2
    return `M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`
  }
  if (bx === ax) {
    const down = by > ay
    const x = ax + WIDTH / 2
    return `M${x} ${down ? ay + HEIGHT : ay} L${x} ${down ? by - 1 : by + HEIGHT + 1}`
  }
  // Back: above or below the boxes in between.
  const up = by <= ay
  const x1 = ax + WIDTH / 2
  const x2 = bx + WIDTH / 2
  const y1 = up ? ay : ay + HEIGHT
  const y2 = up ? (by < ay ? by + HEIGHT / 2 : by) : by + HEIGHT + 1
  if (by < ay) return `M${x1} ${y1} C${x1} ${y2} ${x1} ${y2} ${bx + WIDTH + 1} ${y2}`
  return `M${x1} ${y1} C${x1} ${y1 + (up ? -18 : 18)} ${x2} ${y2 + (up ? -18 : 18)} ${x2} ${y2}`
}
