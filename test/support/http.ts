/** A server that listens, and how a program calls it: by fetch, with JSON. Closed when the test ends. */
import type { Store } from 'holdfast'
import { buildServer, type ServerOptions } from 'holdfast/server'
import { onTestFinished } from 'vitest'

export interface Listening {
  readonly url: string
  fetch(method: string, path: string, said?: { body?: unknown; key?: string }): Promise<Answered>
}

export interface Answered {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects to find
  readonly body: any
  readonly headers: Headers
}

export async function listening(store: Store, options: ServerOptions = {}): Promise<Listening> {
  const app = buildServer(store, { loopback: true, checkAnswers: true, ...options })
  onTestFinished(() => app.close())
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  return {
    url,
    async fetch(method, path, { body, key } = {}) {
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await answer.text()
      const json = answer.headers.get('content-type')?.includes('json')
      return { status: answer.status, body: json ? JSON.parse(text) : text, headers: answer.headers }
    },
  }
}
