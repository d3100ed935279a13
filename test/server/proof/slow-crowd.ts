/**
 * Sockets that take their time, of four sorts: one says nothing, one sends its headers letter by letter, one its body, one asks and does not
 * read the answer. Whoever is turned away comes back, so that there are always as many.
 */
import { connect, type Socket } from 'node:net'

interface Slow {
  readonly socket: Socket
  readonly sort: Sort
}

const SORTS = ['silent', 'headers', 'body', 'unread'] as const
type Sort = (typeof SORTS)[number]

const HOST = 'Host: localhost\r\n'

export interface Crowd {
  open(): number
  /** Turned away by the server so far. */
  turnedAway(): number
  leave(): void
}

export async function slowCrowd(url: string, key: string, size: number): Promise<Crowd> {
  const { hostname, port } = new URL(url)
  const all = new Set<Slow>()
  let turnedAway = 0
  let leaving = false
  const auth = `Authorization: Bearer ${key}\r\n`
  const begin: Record<Sort, string> = {
    silent: '',
    headers: 'GET /livez HTTP/1.1\r\nX-Slow: ',
    body: `POST /api/v1/jobs HTTP/1.1\r\n${HOST}${auth}Content-Type: application/json\r\nContent-Length: 5000\r\n\r\n{"queue": "`,
    unread: `GET /openapi.json HTTP/1.1\r\n${HOST}\r\n`.repeat(20),
  }
  const come = (sort: Sort) =>
    new Promise<void>((resolve) => {
      const socket = connect(Number(port), hostname)
      const slow = { socket, sort }
      // Without a reader nothing is taken from the system, which is what this sort is about.
      if (sort === 'unread') socket.pause()
      else socket.resume()
      socket.on('error', () => {})
      socket.on('connect', () => {
        all.add(slow)
        socket.write(begin[sort])
        resolve()
      })
      socket.on('close', () => {
        all.delete(slow)
        resolve()
        if (leaving) return
        turnedAway += 1
        void come(sort)
      })
    })
  for (let n = 0; n < size; n += 50)
    await Promise.all(
      Array.from({ length: Math.min(50, size - n) }, (_, k) => come(SORTS[(n + k) % SORTS.length] as Sort)),
    )
  const drip = setInterval(() => {
    for (const { socket, sort } of all) if (sort === 'headers' || sort === 'body') socket.write('x')
  }, 1_000)
  return {
    open: () => all.size,
    turnedAway: () => turnedAway,
    leave() {
      leaving = true
      clearInterval(drip)
      for (const { socket } of all) socket.destroy()
    },
  }
}

export interface Served {
  readonly asked: number
  readonly succeeded: number
  readonly slowestMs: number
  /** Slow sockets that were open when the fewest were. */
  readonly openAtLeast: number
  readonly failures: readonly string[]
}

/** Ordinary calls of four sorts, ten at a time, in the midst of the crowd. */
export async function serveAmidst(crowd: Crowd, url: string, key: string, asked: number): Promise<Served> {
  const failures: string[] = []
  let succeeded = 0
  let slowestMs = 0
  let openAtLeast = crowd.open()
  let next = 0
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const calls = [
    () => fetch(`${url}/api/v1/jobs`, { method: 'POST', headers, body: '{"queue": "crowd", "kind": "k"}' }),
    () => fetch(`${url}/api/v1/jobs?page_size=10`, { headers }),
    () => fetch(`${url}/api/v1/queues`, { headers }),
    () => fetch(`${url}/readyz`),
  ]
  const ask = async () => {
    while (next < asked) {
      const call = calls[next++ % calls.length] as () => Promise<Response>
      const began = performance.now()
      const answer = await call().catch((error: Error) => error)
      slowestMs = Math.max(slowestMs, performance.now() - began)
      openAtLeast = Math.min(openAtLeast, crowd.open())
      if (answer instanceof Error) failures.push(answer.message)
      else if (!answer.ok) failures.push(`${answer.status}`)
      else {
        await answer.arrayBuffer()
        succeeded += 1
      }
    }
  }
  await Promise.all(Array.from({ length: 10 }, ask))
  return { asked, succeeded, slowestMs: Math.round(slowestMs), openAtLeast, failures }
}
