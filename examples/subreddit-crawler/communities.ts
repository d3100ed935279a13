/** The communities of the forum, the same each time: topics, members, and who mentions whom. */
import { between, randomOf } from '../support/random.js'

const TOPICS: Readonly<Record<string, readonly string[]>> = {
  kitchen: ['coffee', 'sourdough', 'fermentation', 'castiron', 'knives', 'tea', 'baking'],
  outdoors: ['hiking', 'camping', 'ultralight', 'climbing', 'trailrunning', 'birding', 'canoeing'],
  workshop: ['woodworking', 'soldering', 'arduino', '3dprinting', 'machining', 'leathercraft'],
  software: ['typescript', 'postgres', 'rust', 'linux', 'selfhosted', 'databases', 'webdev'],
  music: ['vinyl', 'synths', 'guitar', 'jazz', 'recording', 'piano'],
  science: ['astronomy', 'physics', 'geology', 'botany', 'chemistry', 'microscopy'],
  games: ['boardgames', 'chess', 'speedrunning', 'factorio', 'roguelikes', 'puzzles'],
}
/** Where two topics meet. */
const BRIDGES: readonly (readonly [string, string])[] = [
  ['arduino', 'synths'],
  ['soldering', 'synths'],
  ['selfhosted', 'arduino'],
  ['linux', 'factorio'],
  ['rust', 'roguelikes'],
  ['databases', 'puzzles'],
  ['fermentation', 'chemistry'],
  ['birding', 'botany'],
  ['hiking', 'geology'],
  ['canoeing', 'woodworking'],
  ['knives', 'machining'],
  ['3dprinting', 'boardgames'],
  ['recording', 'physics'],
  ['tea', 'vinyl'],
]
/** Founded while the example runs. Only a second crawl of r/coffee can find it. */
const LATER = { name: 'espresso', topic: 'kitchen', mentionedBy: 'coffee' }

export interface Link {
  readonly id: number
  readonly name: string
  readonly mentions: number
}

export interface Community {
  readonly id: number
  readonly name: string
  readonly topic: string
  readonly members: number
  readonly links: readonly Link[]
}

const names = [...Object.values(TOPICS).flat(), LATER.name]

export const idOf = (name: string): number => names.indexOf(name) + 1
export const nameOf = (id: number): string => names[id - 1] ?? `${id}`

/** What the forum has from the beginning: in each topic but games two that everyone knows. */
export const KNOWN = Object.entries(TOPICS)
  .filter(([topic]) => topic !== 'games')
  .flatMap(([, members]) => members.slice(0, 2))

/** All of the forum, or what it was before its newest community was founded. */
export function communities({ withLater = true } = {}): Community[] {
  const random = randomOf(1001)
  const all = Object.entries(TOPICS).flatMap(([topic, members]) =>
    members.map((name, n) => ({
      id: idOf(name),
      name,
      topic,
      members: Math.round(2_000 * 10 ** (random() * 2.4)),
      links: linksOf(name, n, members, random),
    })),
  )
  if (!withLater) return all
  const { name, topic, mentionedBy } = LATER
  const back = [{ id: idOf(mentionedBy), name: mentionedBy, mentions: 24 }]
  const grown = all.map((each) =>
    each.name === mentionedBy ? { ...each, links: [...each.links, link(name, 18)] } : each,
  )
  return [...grown, { id: idOf(name), name, topic, members: 3_100, links: back }]
}

function linksOf(name: string, n: number, topic: readonly string[], random: () => number): Link[] {
  const others = [1, 2, 4].map((step) => topic[(n + step) % topic.length] as string)
  const within = others.filter((other) => other !== name).map((other) => link(other, between(random, 8, 30)))
  const across = BRIDGES.filter(([from]) => from === name).map(([, to]) => link(to, between(random, 2, 6)))
  return [...within, ...across]
}

const link = (name: string, mentions: number): Link => ({ id: idOf(name), name, mentions })
