/** The page with the map as it is so far. */
import { createServer } from 'node:http'
import { closePlain, listenPlain } from '../support/listen.js'

export interface MapPage {
  readonly url: string
  stop(): Promise<void>
}

const RELOAD_SEC = 2

export async function serveMap(
  port: number,
  map: () => Promise<{ readonly svg: string; readonly isDone: boolean }>,
): Promise<MapPage> {
  const server = createServer(async (request, response) => {
    try {
      const { svg, isDone } = await map()
      if (request.url === '/map.svg')
        return response.writeHead(200, { 'content-type': 'image/svg+xml' }).end(svg)
      const reload = isDone ? '' : `<meta http-equiv="refresh" content="${RELOAD_SEC}">`
      return response
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
        .end(`<!doctype html><html lang="en"><meta charset="utf-8">${reload}<title>The map of the forum</title>
<meta name="color-scheme" content="light dark">
<style>body{margin:0;background:#fbfbf9}svg{display:block;width:100%;height:100vh}@media(prefers-color-scheme:dark){body{background:#12161c}}</style>
${svg}</html>`)
    } catch (error) {
      return response.writeHead(500).end((error as Error).message)
    }
  })
  return { url: await listenPlain(server, port), stop: () => closePlain(server) }
}
