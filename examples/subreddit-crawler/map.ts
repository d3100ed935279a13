/** The cluster map as SVG, for light and dark pages. */
import { clustersOf, type Graph } from './graph.js'
import { HEIGHT, layoutOf, type Placed, WIDTH } from './layout.js'

const LIGHT = ['#2b6cd4', '#d2601a', '#23895a', '#9a46bd', '#c5324c', '#0d8795', '#a67712', '#5b6472']
const DARK = ['#7fb0ff', '#f5a269', '#6fd0a1', '#d193ee', '#f58a9b', '#63cfda', '#e3bd66', '#aeb8c6']

export interface ClusterMap {
  readonly svg: string
  readonly clusters: readonly (readonly string[])[]
}

export function drawMap(graph: Graph): ClusterMap {
  const clusters = clustersOf(graph)
  const placed = layoutOf(graph, clusters)
  const title = `${graph.nodes.length} communities, ${graph.links.length} links, ${clusters.length} clusters`
  const parts = [
    `<rect width="${WIDTH}" height="${HEIGHT}" class="sheet"/>`,
    `<text x="56" y="62" class="title">The map of the forum</text>`,
    `<text x="56" y="88" class="count">${title}</text>`,
    ...clusters.map((_, n) =>
      area(
        n,
        placed.filter(({ cluster }) => cluster === n),
      ),
    ),
    ...lines(graph, placed),
    ...placed.map(dot),
    ...placed.map(label),
  ]
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">
<style>${style()}</style>
${parts.join('\n')}
</svg>
`
  return { svg, clusters }
}

function style(): string {
  const colours = (palette: readonly string[]) =>
    palette.map((colour, n) => `.f${n}{fill:${colour}}.s${n}{stroke:${colour}}`).join('')
  return [
    'text{font-family:Inter,system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif}',
    '.title{font-size:28px;font-weight:650;letter-spacing:-.3px}.count{font-size:15px}',
    '.name{font-size:13px;font-weight:500;text-anchor:middle;paint-order:stroke;stroke-width:4px;stroke-linejoin:round}',
    '.line{fill:none;stroke-linecap:round}',
    `.sheet{fill:#fbfbf9}.title,.name{fill:#1d2430}.count{fill:#667081}.name,.dot{stroke:#fbfbf9}.far{stroke:#8b94a3}${colours(LIGHT)}`,
    `@media(prefers-color-scheme:dark){.sheet{fill:#12161c}.title,.name{fill:#e8ecf2}.count{fill:#95a1b2}`,
    `.name,.dot{stroke:#12161c}.far{stroke:#6f7a8a}${colours(DARK)}}`,
  ].join('')
}

const colourOf = (cluster: number): number => cluster % LIGHT.length
const at = (value: number): string => value.toFixed(1)

/** A soft ground below the communities of a cluster: their hull, with a thick round edge. */
function area(cluster: number, members: readonly Placed[]): string {
  if (members.length < 3) return ''
  const path = hull(members.map(({ x, y }) => ({ x, y: y + 6 })))
    .map(({ x, y }, n) => `${n === 0 ? 'M' : 'L'}${at(x)} ${at(y)}`)
    .join('')
  const colour = colourOf(cluster)
  return `<g opacity=".1"><path d="${path}Z" class="f${colour} s${colour}" stroke-width="84" stroke-linejoin="round"/></g>`
}

interface Point {
  readonly x: number
  readonly y: number
}

/** The convex hull, by Andrew's monotone chain. */
function hull(points: readonly Point[]): Point[] {
  const sorted = [...points].sort((a, b) => a.x - b.x || a.y - b.y)
  const half = (from: readonly Point[]) => {
    const chain: Point[] = []
    for (const point of from) {
      while (chain.length > 1 && turn(chain.at(-2) as Point, chain.at(-1) as Point, point) <= 0) chain.pop()
      chain.push(point)
    }
    return chain.slice(0, -1)
  }
  return [...half(sorted), ...half(sorted.reverse())]
}

const turn = (a: Point, b: Point, c: Point): number => (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)

/** One line for both directions. Links between clusters are drawn first, below the others. */
function lines({ links }: Graph, placed: readonly Placed[]): string[] {
  const byName = new Map(placed.map((each) => [each.name, each]))
  const both = new Map<string, { a: Placed; b: Placed; mentions: number }>()
  for (const { from, to, mentions } of links) {
    const [a, b] = [byName.get(from), byName.get(to)]
    if (a === undefined || b === undefined) continue
    const pair = [from, to].sort().join(' ')
    both.set(pair, { a, b, mentions: mentions + (both.get(pair)?.mentions ?? 0) })
  }
  return [...both.values()]
    .sort(
      (one, other) => Number(one.a.cluster === one.b.cluster) - Number(other.a.cluster === other.b.cluster),
    )
    .map(({ a, b, mentions }) => {
      const isInside = a.cluster === b.cluster
      const [mx, my] = [(a.x + b.x) / 2 - (b.y - a.y) * 0.09, (a.y + b.y) / 2 + (b.x - a.x) * 0.09]
      const path = `M${at(a.x)} ${at(a.y)}Q${at(mx)} ${at(my)} ${at(b.x)} ${at(b.y)}`
      const width = isInside ? 0.8 + mentions / 16 : 1.4 + mentions / 6
      const look = isInside
        ? `class="line s${colourOf(a.cluster)}" opacity=".5"`
        : 'class="line far" opacity=".75" stroke-dasharray="1 6"'
      return `<path d="${path}" ${look} stroke-width="${at(width)}"/>`
    })
}

function dot({ x, y, radius, cluster, name, members }: Placed): string {
  return `<circle cx="${at(x)}" cy="${at(y)}" r="${at(radius)}" class="dot f${colourOf(cluster)}" stroke-width="2"><title>r/${name}, ${members} members</title></circle>`
}

function label({ x, y, radius, name }: Placed): string {
  return `<text x="${at(x)}" y="${at(y + radius + 15)}" class="name">r/${name}</text>`
}
