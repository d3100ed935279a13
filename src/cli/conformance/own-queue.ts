/**
 * A queue for one run. Queues stay when their jobs have ended, so runs use the same ones again and again: the first of conformance-1,
 * conformance-2, … that no other run has. A pending job with a key marks the one that is taken; nothing claims a pending job.
 */
import { randomBytes } from 'node:crypto'
import type { ServerUnderTest } from './run.js'

export interface ReservedQueue {
  readonly name: string
  giveBack(): Promise<void>
}

/** A run that was killed leaves its mark; one takes seconds. */
const FORGOTTEN_MS = 10 * 60_000

export async function reserveQueue(server: ServerUnderTest): Promise<ReservedQueue> {
  for (let n = 1; n <= CONCURRENT_MAX; n += 1) {
    const name = `conformance-${n}`
    const job = { queue: name, kind: 'conformance-run', key: 'run', pending: true }
    const made = await call(server, 'POST', '/api/v1/jobs', job)
    // A server that has no such jobs cannot hold two runs apart, and the cases will say what it lacks.
    if (typeof made?.id !== 'number') return { name, giveBack: async () => {} }
    const cancel = () => call(server, 'POST', `/api/v1/jobs/${made.id}/cancel`, { reason: 'the run is over' })
    if (made.deduplicated !== true) return { name, giveBack: async () => void (await cancel()) }
    const other = await call(server, 'GET', `/api/v1/jobs/${made.id}`)
    const age = Date.now() - Date.parse(String(other?.created_at))
    // Looked at again: another run may have taken it meanwhile.
    if (age > FORGOTTEN_MS && (await cancel())?.result === 'canceled') n -= 1
  }
  return { name: `conformance-${randomBytes(5).toString('hex')}`, giveBack: async () => {} }
}

const CONCURRENT_MAX = 50

async function call(
  { url, key }: ServerUnderTest,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown> | undefined> {
  const answer = await fetch(`${url.replace(/\/+$/, '')}${path}`, {
    method,
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(10_000),
  })
  return answer.ok ? ((await answer.json()) as Record<string, unknown>) : undefined
}
