/** Clusters of a graph, by modularity: two clusters are joined as long as that leaves more links inside of clusters than chance would. */
export interface Graph {
  readonly nodes: readonly { readonly name: string; readonly members: number }[]
  readonly links: readonly { readonly from: string; readonly to: string; readonly mentions: number }[]
}

/** The largest first, each with its members in order of name. The same graph always gives the same clusters. */
export function clustersOf({ nodes, links }: Graph): string[][] {
  const total = links.reduce((sum, { mentions }) => sum + mentions, 0)
  let clusters = nodes.map(({ name }) => [name]).sort(byFirst)
  if (total === 0) return clusters
  for (;;) {
    const best = bestJoin(clusters, links, total)
    if (best === undefined) return clusters.sort((a, b) => b.length - a.length || byFirst(a, b))
    const joined = [...(clusters[best.a] as string[]), ...(clusters[best.b] as string[])].sort()
    clusters = [...clusters.filter((_, n) => n !== best.a && n !== best.b), joined].sort(byFirst)
  }
}

const byFirst = (a: readonly string[], b: readonly string[]): number =>
  (a[0] as string) < (b[0] as string) ? -1 : 1

interface Join {
  readonly a: number
  readonly b: number
  readonly gain: number
}

function bestJoin(clusters: readonly string[][], links: Graph['links'], total: number): Join | undefined {
  const clusterOf = new Map(clusters.flatMap((members, n) => members.map((name) => [name, n] as const)))
  const degree = clusters.map(() => 0)
  const between = new Map<string, number>()
  for (const { from, to, mentions } of links) {
    const [a, b] = [clusterOf.get(from) as number, clusterOf.get(to) as number]
    degree[a] = (degree[a] ?? 0) + mentions
    degree[b] = (degree[b] ?? 0) + mentions
    const pair = a < b ? `${a} ${b}` : `${b} ${a}`
    if (a !== b) between.set(pair, (between.get(pair) ?? 0) + mentions)
  }
  let best: Join | undefined
  for (const [pair, mentions] of between) {
    const [a = 0, b = 0] = pair.split(' ').map(Number)
    const byChance = ((degree[a] ?? 0) * (degree[b] ?? 0)) / (2 * total)
    const gain = mentions - byChance
    // Links come in order of name, so of two equal joins the same one is seen first in each run.
    if (gain > 0 && (best === undefined || gain > best.gain)) best = { a, b, gain }
  }
  return best
}
