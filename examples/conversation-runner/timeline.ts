/** Draws what happened: a row for each conversation, a bar for each attempt of a turn, in the colour of how it ended. */
import type { Attempt } from 'holdfast/store'

export interface DrawnAttempt {
  readonly conversation: string
  readonly turn: number
  readonly attempt: Pick<Attempt, 'claimedAt' | 'finishedAt' | 'movedTo' | 'outcome'>
}

const WIDTH = 900
const LEFT = 80
const ROW = 30
const TOP = 44
const COLOURS = { SUCCESS: '#2e9d5b', PAUSED: '#e0a100', ERROR: '#d0342c', CANCELED: '#8a8f98' } as const
type Ending = keyof typeof COLOURS

export function timelineOf(attempts: readonly DrawnAttempt[]): string {
  const bars = attempts.flatMap(({ conversation, turn, attempt }) => {
    const to = attempt.finishedAt.getTime()
    return [{ conversation, turn, from: attempt.claimedAt?.getTime() ?? to, to, ending: endingOf(attempt) }]
  })
  const began = Math.min(...bars.map(({ from }) => from))
  const ms = Math.max(1, Math.max(...bars.map(({ to }) => to)) - began)
  const rows = [...new Set(bars.map(({ conversation }) => conversation))].sort()
  const x = (at: number) => LEFT + ((at - began) / ms) * (WIDTH - LEFT - 20)
  const y = (conversation: string) => TOP + rows.indexOf(conversation) * ROW
  const height = TOP + rows.length * ROW + 30
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12">
<title>Turns of conversations over time</title>
<rect width="${WIDTH}" height="${height}" fill="#fff"/>
${legend()}
${rows.map((row) => `<text x="10" y="${y(row) + 16}" fill="#333">${row}</text>`).join('\n')}
${bars
  .map(
    ({ conversation, turn, from, to, ending }) =>
      `<g><title>${conversation} turn ${turn}: ${ending}</title><rect x="${x(from).toFixed(1)}" y="${y(conversation)}" width="${Math.max(3, x(to) - x(from)).toFixed(1)}" height="${ROW - 8}" rx="2" fill="${COLOURS[ending]}"/></g>`,
  )
  .join('\n')}
${seconds(ms, x, began, height)}
</svg>
`
}

function endingOf({ movedTo, outcome }: DrawnAttempt['attempt']): Ending {
  if (movedTo === 'succeeded') return 'SUCCESS'
  if (movedTo === 'paused') return 'PAUSED'
  // An operator has cleared it.
  if (movedTo === 'failed' || outcome === 'canceled') return 'CANCELED'
  return 'ERROR'
}

function legend(): string {
  return Object.entries(COLOURS)
    .map(([name, colour], n) => {
      const left = LEFT + n * 110
      return `<rect x="${left}" y="14" width="12" height="12" rx="2" fill="${colour}"/><text x="${left + 18}" y="24" fill="#333">${name}</text>`
    })
    .join('\n')
}

/** A tick for each second, or fewer if there are many. */
function seconds(ms: number, x: (at: number) => number, began: number, height: number): string {
  const every = Math.max(1, Math.ceil(ms / 12_000))
  return Array.from({ length: Math.floor(ms / 1_000 / every) + 1 }, (_none, n) => n * every)
    .map(
      (second) =>
        `<text x="${x(began + second * 1_000).toFixed(1)}" y="${height - 8}" fill="#888" text-anchor="middle">${second} s</text>`,
    )
    .join('\n')
}
