/** Runs conformance cases against a server, with `fetch` alone: nothing of our client is in between. */
import { randomBytes } from 'node:crypto'
import type { Case, Step } from './case.js'
import { differencesIn } from './compare.js'

export interface ServerUnderTest {
  readonly url: string
  readonly key?: string | undefined
}

/** One call as it went. */
interface Exchange {
  readonly say: string
  readonly request: { readonly method: string; readonly path: string; readonly body?: unknown }
  readonly response: { readonly status: number; readonly body: unknown }
}

export interface Verdict {
  readonly id: string
  readonly title: string
  readonly ok: boolean
  /** What was not as it must be. */
  readonly problems: readonly string[]
  readonly exchanges: readonly Exchange[]
}

const CALL_MS = 40_000

export async function runCase(server: ServerUnderTest, { id, title, steps }: Case): Promise<Verdict> {
  const unique = randomBytes(5).toString('hex')
  const values = new Map<string, unknown>([
    ['queue', `conformance-${unique}`],
    ['worker', `worker-${unique}`],
  ])
  const exchanges: Exchange[] = []
  const problems: string[] = []
  let waiting: { step: Step; call: Promise<Exchange> } | undefined
  const judge = async (step: Step, call: Promise<Exchange>) => {
    const exchange = await call
    exchanges.push(exchange)
    problems.push(...problemsOf(step, exchange, values))
    for (const [name, pointer] of Object.entries(step.keep ?? {}))
      values.set(name, at(exchange.response.body, pointer))
  }
  for (const [index, step] of steps.entries()) {
    const call = send(server, step, values)
    if (steps[index + 1]?.meanwhile) {
      waiting = { step, call }
      continue
    }
    await judge(step, call)
    if (waiting !== undefined) await judge(waiting.step, waiting.call)
    waiting = undefined
    // What follows rests on what went before.
    if (problems.length > 0) break
  }
  return { id, title, ok: problems.length === 0, problems, exchanges }
}

async function send(
  { url, key }: ServerUnderTest,
  step: Step,
  values: ReadonlyMap<string, unknown>,
): Promise<Exchange> {
  const { say, method = 'POST' } = step
  const path = step.path.replace(/\$(\w+)/g, (_all, name: string) => String(values.get(name)))
  const body = filled(step.body, values)
  const answer = await fetch(`${url.replace(/\/+$/, '')}${path}`, {
    method,
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(CALL_MS),
  })
  const text = await answer.text()
  const request = { method, path, ...(body === undefined ? {} : { body }) }
  return { say, request, response: { status: answer.status, body: parsed(text) } }
}

function parsed(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function problemsOf(
  { say, expect }: Step,
  { response }: Exchange,
  values: ReadonlyMap<string, unknown>,
): string[] {
  if (response.status !== expect.status)
    return [
      `${say}: the status is ${response.status}, not ${expect.status}: ${JSON.stringify(response.body)?.slice(0, 500)}`,
    ]
  const wanted = filled(expect.body, values)
  return wanted === undefined
    ? []
    : differencesIn(wanted, response.body).map((difference) => `${say}: ${difference}`)
}

/** The same with values in the place of their names. */
function filled(value: unknown, values: ReadonlyMap<string, unknown>): unknown {
  if (typeof value === 'string' && value.startsWith('$'))
    return values.has(value.slice(1)) ? values.get(value.slice(1)) : value
  if (Array.isArray(value)) return value.map((each) => filled(each, values))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, filled(each, values)]))
}

function at(body: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], body)
}
