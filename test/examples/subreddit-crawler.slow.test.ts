// examples/subreddit-crawler, run as its README shows it: a forum, a server, three crawlers as processes, and the map they lead to.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Store } from 'holdfast/store'
import { beforeEach, expect, it } from 'vitest'
import { communities, nameOf } from '../../examples/subreddit-crawler/communities.js'
import type { Graph } from '../../examples/subreddit-crawler/graph.js'
import { drawMap } from '../../examples/subreddit-crawler/map.js'
import { curlPaths, killsOf, startExample } from '../support/run-example.js'
import { expectHealthy, freshStore, postgresUrl } from '../support/world.js'

type Crawled = Graph & { readonly clusters: string[][] }

const FAST = ['--speed', '20']
const PICTURE = new URL('../../examples/subreddit-crawler/map.svg', import.meta.url)

let store: Store
beforeEach(async () => {
  store = await freshStore('postgres', { own: true })
})
const envOf = ({ schema }: Store) => ({ DATABASE_URL: postgresUrl(), HOLDFAST_SCHEMA: schema })

/** The communities in the order in which their first crawls began. */
async function begun(url: string): Promise<string[]> {
  const answer = await fetch(`${url}/api/admin/jobs?status=success&limit=500`)
  const { jobs } = (await answer.json()) as { jobs: { id: number; subreddit_id: number }[] }
  const starts = await Promise.all(
    jobs.map(async ({ id, subreddit_id }) => {
      const [first] = await store.read.attempts(id)
      return { name: nameOf(subreddit_id), at: first?.startedAt?.getTime() ?? Number.NaN }
    }),
  )
  return [...new Set(starts.sort((a, b) => a.at - b.at).map(({ name }) => name))]
}

/** What the forum has, and nothing of it twice. */
function expectMap({ nodes, links, clusters }: Crawled): void {
  const all = communities()
  expect(nodes).toEqual(
    all.map(({ name, members }) => ({ name, members })).sort((a, b) => (a.name < b.name ? -1 : 1)),
  )
  const texts = (of: readonly { from: string; to: string; mentions: number }[]) =>
    of.map(({ from, to, mentions }) => `${from} ${to} ${mentions}`).sort()
  const expected = all.flatMap((each) =>
    each.links.map(({ name: to, mentions }) => ({ from: each.name, to, mentions })),
  )
  expect(texts(links)).toEqual(texts(expected))
  const topics = [...new Set(all.map(({ topic }) => topic))].map((topic) =>
    all
      .filter((each) => each.topic === topic)
      .map(({ name }) => name)
      .sort(),
  )
  expect([...clusters].sort()).toEqual(topics.sort())
}

it('S1.01 requests run before discovery, waiting raises a priority, a stale community is crawled again, and the result covers the whole forum', async () => {
  const example = startExample('subreddit-crawler', FAST, envOf(store))
  const crawled = await example.result<Crawled>()
  expectMap(crawled)
  const map = readFileSync(join(example.out, 'map.svg'), 'utf8')
  expect(map).toBe(drawMap(crawled).svg)
  expect(readFileSync(PICTURE, 'utf8'), 'copy .holdfast/examples/subreddit-crawler/map.svg').toBe(map)

  const order = await begun(await example.url())
  expect(order).toHaveLength(46)
  // Three crawlers: each runs one and may hold another one claimed.
  const first = order.slice(0, 6)
  expect(first).toEqual(expect.arrayContaining(['jazz', 'chess', 'vinyl', 'hiking']))
  await example.shows(/aging +all \d+ have waited long enough to gain 10 or more/)
  await example.shows(/operator +r\/geology failed; the forum repairs it/)
  await example.shows(/stale +its second crawl has found r\/espresso/)

  const [, page = ''] = await example.shows(/map +(http:\S+)/)
  expect(await (await fetch(page)).text()).toContain('46 communities, 151 links, 7 clusters')
  const stats = await (await fetch(`${await example.url()}/api/admin/jobs/stats`)).json()
  expect(stats).toMatchObject({ queued: 0, running: 0, failed: 0 })
  for (const path of curlPaths('subreddit-crawler'))
    expect((await fetch((await example.url()) + path)).status, path).toBe(200)
  expect(await example.interrupt()).toBe(0)
  await expectHealthy(store)
})

it('with crawlers killed at random the map is that of the undisturbed run', async () => {
  const second = await freshStore()
  const calm = startExample('subreddit-crawler', FAST, envOf(store))
  const wild = startExample('subreddit-crawler', [...FAST, '--chaos', '11'], envOf(second))
  const undisturbed = await calm.result<Crawled>()
  expectMap(undisturbed)
  expect(await wild.result()).toEqual(undisturbed)
  expect(readFileSync(join(wild.out, 'map.svg'), 'utf8')).toBe(
    readFileSync(join(calm.out, 'map.svg'), 'utf8'),
  )
  expect(killsOf(wild)).toBeGreaterThan(2)
  for (const example of [calm, wild]) expect(await example.interrupt()).toBe(0)
  for (const each of [store, second]) await expectHealthy(each)
})

it('the whole example may be killed in the middle: no crawler is left, and --keep leads to the same map', async () => {
  const killed = startExample('subreddit-crawler', FAST, envOf(store))
  await killed.shows(/crawler-\d +r\/\w+ +priority/)
  killed.child.kill('SIGKILL')
  await killed.ended
  await expect.poll(() => killed.processes()).toEqual([])
  const again = startExample('subreddit-crawler', [...FAST, '--keep', '--exit'], envOf(store))
  expectMap(await again.result<Crawled>())
  expect(await again.ended).toBe(0)
  expect(again.processes()).toEqual([])
  await expectHealthy(store)
})
