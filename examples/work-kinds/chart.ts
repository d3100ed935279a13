/** How many workers there were, from the scale events that the database keeps: as an SVG and as one line of text. */
import type { Store } from 'holdfast/store'

/** One process of the app, from its start to its end. */
export interface AppLife {
  readonly name: string
  readonly from: number
  readonly to: number
  readonly isKilled: boolean
  /** The number of workers from each moment on. */
  readonly steps: readonly { readonly at: number; readonly workers: number }[]
}

interface ScaleEvent {
  readonly at: number
  readonly worker: string
  readonly from: number
  readonly to: number
}

const PAGE = 500

/** There is one process of the app at a time: each ended when the next one came, or before. */
export async function livesOf(store: Store, defaultCount: number): Promise<AppLife[]> {
  const events = await scaleEvents(store)
  const lastWork = await lastWorkOf(store)
  const rows = (await store.workers.list())
    .filter(({ worker }) => worker.startsWith('app-'))
    .sort((one, other) => one.startedAt.getTime() - other.startedAt.getTime())
  return rows.map((row, n) => {
    const own = events.filter(({ worker }) => worker === row.worker)
    const from = row.startedAt.getTime()
    const isKilled = n < rows.length - 1
    const lastSeen = Math.max(row.heartbeatAt.getTime(), own.at(-1)?.at ?? 0, lastWork.get(row.worker) ?? 0)
    const steps = own.map(({ at, to: workers }) => ({ at, workers }))
    return {
      name: row.worker,
      from,
      to: isKilled ? lastSeen : Date.now(),
      isKilled,
      steps: [{ at: from, workers: defaultCount }, ...steps],
    }
  })
}

/** When each process ended its last attempt by itself. */
async function lastWorkOf({ database, schema }: Store): Promise<Map<string, number>> {
  const rows = await database.query<{ worker: string; at: Date }>(
    `select worker, max(finished_at) as at from "${schema}".attempts where outcome <> 'lost' group by worker`,
  )
  return new Map(rows.map(({ worker, at }) => [worker, at.getTime()]))
}

/** All `workers_scaled` events, oldest first. */
async function scaleEvents({ read }: Store): Promise<ScaleEvent[]> {
  const found: ScaleEvent[] = []
  let cursor = 'all'
  for (;;) {
    const page = await read.feed(cursor, PAGE)
    for (const { type, at, actor, data } of page.events)
      if (type === 'workers_scaled' && actor !== null) {
        const { from, to } = data as { from: number; to: number }
        found.push({ at: at.getTime(), worker: actor, from, to })
      }
    if (page.events.length === 0) return found
    cursor = page.cursor
  }
}

/** Workers at a moment, over all processes. */
function workersAt(lives: readonly AppLife[], at: number): number {
  return lives
    .filter(({ from, to }) => from <= at && at <= to)
    .reduce((sum, { steps }) => sum + (steps.findLast((step) => step.at <= at)?.workers ?? 0), 0)
}

const BARS = ' ▁▂▃▄▅▆▇█'
const SPARK_CHARACTERS = 60

export function sparkline(lives: readonly AppLife[], max: number): string {
  const from = lives[0]?.from ?? 0
  const to = Math.max(...lives.map((life) => life.to))
  const at = (n: number) => from + ((to - from) * n) / (SPARK_CHARACTERS - 1)
  const heights = Array.from({ length: SPARK_CHARACTERS }, (_none, n) => workersAt(lives, at(n)) / max)
  return heights.map((height) => BARS[Math.min(8, Math.ceil(height * 8))]).join('')
}

const WIDTH = 900
const HEIGHT = 280
const LEFT = 40
const RIGHT = 20
const TOP = 30
const BOTTOM = 40

export function chartOf(lives: readonly AppLife[], max: number): string {
  const began = lives[0]?.from ?? Date.now()
  const ms = Math.max(1, Math.max(0, ...lives.map(({ to }) => to)) - began)
  const x = (at: number) => LEFT + ((at - began) / ms) * (WIDTH - LEFT - RIGHT)
  const y = (workers: number) => HEIGHT - BOTTOM - (workers / max) * (HEIGHT - TOP - BOTTOM)
  const levels = [0, 2, 4, 6, 8].filter((level) => level <= max)
  const every = Math.max(1, Math.ceil(ms / 15_000))
  const ticks = Array.from({ length: Math.floor(ms / 1_000 / every) + 1 }, (_none, n) => n * every)
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">
<title>Workers of the app over time</title>
<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>
<text x="${LEFT}" y="18" fill="#333">workers of the app over time, from its scale events</text>
${levels.map((level) => `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(level)}" y2="${y(level)}" stroke="#e5e7eb"/><text x="${LEFT - 8}" y="${y(level) + 4}" fill="#888" text-anchor="end">${level}</text>`).join('\n')}
${ticks.map((second) => `<text x="${x(began + second * 1_000).toFixed(1)}" y="${HEIGHT - 14}" fill="#888" text-anchor="middle">${second} s</text>`).join('\n')}
${lives.map((life) => lifeOf(life, x, y)).join('\n')}
</svg>
`
}

function lifeOf(
  { steps, from, to, isKilled }: AppLife,
  x: (at: number) => number,
  y: (workers: number) => number,
) {
  const line = steps.map(
    ({ at, workers }, n) =>
      `${n === 0 ? 'M' : 'H'}${x(at).toFixed(1)}${n === 0 ? ` ${y(workers)}` : ` V${y(workers)}`}`,
  )
  const path = `${line.join(' ')} H${x(to).toFixed(1)}`
  const area = `<path d="${path} V${y(0)} H${x(from).toFixed(1)} Z" fill="#3b82f6" fill-opacity="0.15"/>`
  const drawn = `${area}<path d="${path}" fill="none" stroke="#3b82f6" stroke-width="2"/>`
  if (!isKilled) return drawn
  return `${drawn}<line x1="${x(to).toFixed(1)}" x2="${x(to).toFixed(1)}" y1="${y(0)}" y2="${TOP}" stroke="#d0342c" stroke-dasharray="4 3"/><text x="${x(to).toFixed(1)}" y="${TOP + 12}" dx="6" fill="#d0342c">kill -9</text>`
}
