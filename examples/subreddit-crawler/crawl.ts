/** The job: read one community, store it, and enqueue what it mentions and no one knew, all in one transaction. */
import { defineJob } from 'holdfast'
import { z } from 'zod'
import { connection } from '../support/database.js'
import { type Page, Tables } from './tables.js'

export const QUEUE = 'crawl'
/** What a crawl is asked for by. */
export const PRIORITY = { discovery: 0, scheduled: 20, user: 60 } as const

export const crawl = defineJob({
  kind: 'crawl',
  queue: QUEUE,
  input: z.object({ subreddit_id: z.number().int() }),
  handler: async (ctx, { subreddit_id: id }) => {
    const page = await fetchPage(id, ctx.signal)
    const tables = new Tables(connection().schema)
    const found = await ctx.commit(async (tx) => {
      await tables.store(tx, page)
      const discovered = await tables.discover(tx, page.links)
      for (const each of discovered.sort((a, b) => a - b))
        await ctx.enqueue(
          crawl,
          { subreddit_id: each },
          { tx, subject: String(each), priority: PRIORITY.discovery },
        )
      return { subreddit: page.name, links: page.links.length, discovered: discovered.length }
    })
    console.log(`r/${page.name}  priority ${ctx.job.priority}  links ${found.links}, new ${found.discovered}`)
    return found
  },
})

async function fetchPage(id: number, signal: AbortSignal): Promise<Page> {
  const answer = await fetch(`${process.env.FORUM_URL}/r/${id}`, { signal })
  if (answer.ok) return (await answer.json()) as Page
  console.log(`community ${id} answers ${answer.status}`)
  throw new Error(`the forum answers ${answer.status} for community ${id}`)
}
