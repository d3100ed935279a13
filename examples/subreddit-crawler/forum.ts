/** The forum on this machine. GET /r/<id> has a community with the communities it mentions. */
import { createServer } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { closePlain, listenPlain } from '../support/listen.js'
import { communities, idOf } from './communities.js'

/** Fails until `repair`. */
const BROKEN = 'geology'

export interface Forum {
  readonly url: string
  /** From now on the broken community can be read. */
  repair(): void
  /** From now on there is one more community, mentioned by one that was crawled long ago. */
  grow(): void
  stop(): Promise<void>
}

export async function startForum({ port, delayMs }: { port: number; delayMs: number }): Promise<Forum> {
  let isBroken = true
  let all = communities({ withLater: false })
  const server = createServer(async (request, response) => {
    const id = Number(/^\/r\/(\d+)$/.exec(request.url ?? '')?.[1])
    await wait(delayMs)
    const found = all.find((each) => each.id === id)
    const status = found === undefined ? 404 : isBroken && id === idOf(BROKEN) ? 500 : 200
    response.writeHead(status, { 'content-type': 'application/json' })
    if (status !== 200) return response.end(JSON.stringify({ error: `there is no page of community ${id}` }))
    const { topic: _ours, ...page } = found as (typeof all)[number]
    return response.end(JSON.stringify(page))
  })
  return {
    url: await listenPlain(server, port),
    repair: () => {
      isBroken = false
    },
    grow: () => {
      all = communities()
    },
    stop: () => closePlain(server),
  }
}
