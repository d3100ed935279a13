/** Where each community stands on the map: links pull, everything else pushes, and no label covers another. No chance is involved. */
import type { Graph } from './graph.js'

export interface Placed {
  readonly name: string
  readonly members: number
  readonly cluster: number
  readonly radius: number
  x: number
  y: number
}

export const WIDTH = 1280
export const HEIGHT = 900
const MARGIN = { top: 110, side: 80, bottom: 60 }
const ROUNDS = 500
const LETTER = 7.2

export function layoutOf(graph: Graph, clusters: readonly (readonly string[])[]): Placed[] {
  const placed = firstPlaces(graph, clusters, inOrder(graph, clusters))
  const byName = new Map(placed.map((each) => [each.name, each]))
  const links = graph.links.flatMap(({ from, to, mentions }) => {
    const [a, b] = [byName.get(from), byName.get(to)]
    return a === undefined || b === undefined ? [] : [{ a, b, mentions }]
  })
  for (let round = 0; round < ROUNDS; round++) move(placed, links, 1 - round / ROUNDS)
  stretch(placed)
  for (let round = 0; round < ROUNDS; round++) separate(placed)
  return placed
}

/** The order of the clusters around the map: next to each the one it has most links with, so that few links cross the map. */
function inOrder({ links }: Graph, clusters: readonly (readonly string[])[]): number[] {
  const clusterOf = new Map(clusters.flatMap((names, n) => names.map((name) => [name, n] as const)))
  const linksOf = (a: number, b: number) =>
    links.filter(({ from, to }) => {
      const [one, other] = [clusterOf.get(from), clusterOf.get(to)]
      return (one === a && other === b) || (one === b && other === a)
    }).length
  const order = [0]
  while (order.length < clusters.length) {
    const last = order.at(-1) as number
    const left = clusters.map((_, n) => n).filter((n) => !order.includes(n))
    order.push(left.reduce((best, n) => (linksOf(last, n) > linksOf(last, best) ? n : best)))
  }
  return order
}

/** Each cluster on a circle around its place on the large circle. */
function firstPlaces(
  { nodes }: Graph,
  clusters: readonly (readonly string[])[],
  order: readonly number[],
): Placed[] {
  return clusters.flatMap((names, cluster) => {
    const around = (2 * Math.PI * order.indexOf(cluster)) / clusters.length
    return names.map((name, n) => {
      const own = (2 * Math.PI * n) / names.length
      const members = nodes.find((each) => each.name === name)?.members ?? 0
      return {
        name,
        members,
        cluster,
        radius: 5 + Math.sqrt(members) / 42,
        x: 420 * Math.cos(around) + 90 * Math.cos(own),
        y: 300 * Math.sin(around) + 90 * Math.sin(own),
      }
    })
  })
}

interface Pull {
  readonly a: Placed
  readonly b: Placed
  readonly mentions: number
}

function move(placed: readonly Placed[], links: readonly Pull[], heat: number): void {
  const forces = new Map(placed.map((each) => [each, { x: 0, y: 0 }]))
  const push = (of: Placed, x: number, y: number) => {
    const force = forces.get(of) as { x: number; y: number }
    force.x += x
    force.y += y
  }
  for (const [n, a] of placed.entries()) {
    for (const b of placed.slice(n + 1)) {
      const { x, y, far } = apart(a, b)
      const strength = (a.cluster === b.cluster ? 5_200 : 11_000) / far ** 2
      push(a, (x / far) * strength, (y / far) * strength)
      push(b, (-x / far) * strength, (-y / far) * strength)
    }
    // The map is wide: what is far above or below is pulled in more.
    push(a, -a.x * 0.007, -a.y * 0.0115)
  }
  for (const { a, b, mentions } of links) {
    const { x, y, far } = apart(a, b)
    const wanted = a.cluster === b.cluster ? 78 : 230
    const strength = (far - wanted) * (a.cluster === b.cluster ? 0.02 + mentions / 900 : 0.012)
    push(a, (-x / far) * strength, (-y / far) * strength)
    push(b, (x / far) * strength, (y / far) * strength)
  }
  const most = 26 * heat + 0.5
  for (const [each, { x, y }] of forces) {
    const size = Math.hypot(x, y) || 1
    const step = Math.min(size, most)
    each.x += (x / size) * step
    each.y += (y / size) * step
  }
}

function apart(a: Placed, b: Placed): { x: number; y: number; far: number } {
  const [x, y] = [a.x - b.x, a.y - b.y]
  return { x, y, far: Math.max(8, Math.hypot(x, y)) }
}

/** What a community takes up with its label, which stands below it. */
function boxOf({ name, radius, x, y }: Placed) {
  const half = Math.max(radius, ((name.length + 2) * LETTER) / 2) + 5
  return { left: x - half, right: x + half, top: y - radius - 4, bottom: y + radius + 21 }
}

function separate(placed: readonly Placed[]): void {
  for (const [n, a] of placed.entries()) {
    for (const b of placed.slice(n + 1)) {
      const [one, other] = [boxOf(a), boxOf(b)]
      const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left)
      const high = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top)
      if (wide <= 0 || high <= 0) continue
      if (wide < high) shift(a, b, 'x', wide)
      else shift(a, b, 'y', high)
    }
  }
}

function shift(a: Placed, b: Placed, along: 'x' | 'y', by: number): void {
  const side = a[along] < b[along] ? -1 : 1
  a[along] += (side * by) / 2
  b[along] -= (side * by) / 2
}

/** Stretches the map over the sheet. */
function stretch(placed: readonly Placed[]): void {
  const boxes = placed.map(boxOf)
  const least = (numbers: number[]) => Math.min(...numbers)
  const most = (numbers: number[]) => Math.max(...numbers)
  const [left, right] = [least(boxes.map((each) => each.left)), most(boxes.map((each) => each.right))]
  const [top, bottom] = [least(boxes.map((each) => each.top)), most(boxes.map((each) => each.bottom))]
  const wide = (WIDTH - 2 * MARGIN.side) / Math.max(1, right - left)
  const high = (HEIGHT - MARGIN.top - MARGIN.bottom) / Math.max(1, bottom - top)
  const scale = Math.min(1.6, wide, high)
  for (const each of placed) {
    each.x = WIDTH / 2 + (each.x - (left + right) / 2) * Math.min(1.6, Math.max(scale, wide))
    each.y = (HEIGHT + MARGIN.top - MARGIN.bottom) / 2 + (each.y - (top + bottom) / 2) * scale
  }
}
