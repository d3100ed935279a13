/** Runs conformance cases against a server, with `fetch` alone: nothing of our client is in between. */
import { randomBytes } from 'node:crypto'
import { type CaseStep, type ConformanceCase, WORK } from './case.js'

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

export interface CaseResult {
  readonly id: string
  readonly title: string
  readonly ok: boolean
  /** What was not as it must be. */
  readonly problems: readonly string[]
  readonly exchanges: readonly Exchange[]
}

const CALL_MS = 40_000

/** Runs a case in a queue that nothing else is in, and ends what it began, whatever came of it. */
export async function runCase(
  server: ServerUnderTest,
  one: ConformanceCase,
  queue: string,
): Promise<CaseResult> {
  const values = new Map<string, unknown>([
    ['queue', queue],
    ['worker', `conformance-${randomBytes(5).toString('hex')}`],
  ])
  const made: CreatedRecords = { jobs: [], leases: new Set() }
  try {
    return await runSteps(server, one, values, made)
  } finally {
    await tidyUp(server, made, values)
  }
}

/** What a case has made on the server. */
interface CreatedRecords {
  readonly jobs: unknown[]
  readonly leases: Set<unknown>
}

async function runSteps(
  server: ServerUnderTest,
  { id, title, steps }: ConformanceCase,
  values: Map<string, unknown>,
  made: CreatedRecords,
): Promise<CaseResult> {
  const exchanges: Exchange[] = []
  const problems: string[] = []
  let waiting: { step: CaseStep; call: Promise<Exchange> } | undefined
  const judge = async (step: CaseStep, call: Promise<Exchange>) => {
    const exchange = await call
    exchanges.push(exchange)
    remember(exchange, made)
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

function remember({ request, response }: Exchange, made: CreatedRecords): void {
  const body = response.body as { id?: unknown; lease?: unknown; jobs?: unknown } | undefined
  if (response.status >= 300 || typeof body !== 'object' || body === null) return
  if (request.path === '/api/v1/jobs') made.jobs.push(body.id)
  if (body.lease !== undefined) made.leases.add(body.lease)
  if (request.path.endsWith('/claim') && Array.isArray(body.jobs))
    for (const { lease } of body.jobs as { lease?: unknown }[]) made.leases.add(lease)
}

/** Leases first: a job that a worker has can only be asked to stop. What a server refuses was not there, or it would fail the case itself. */
async function tidyUp(
  server: ServerUnderTest,
  made: CreatedRecords,
  values: ReadonlyMap<string, unknown>,
): Promise<void> {
  const post = (path: string, body?: unknown) =>
    send(server, { say: 'tidy up', path, body, expect: { status: 200 } }, values).catch(() => {})
  for (const lease of made.leases) await post(`${WORK}/leases/close`, { lease, reason: 'the case is over' })
  for (const id of made.jobs) await post(`/api/v1/jobs/${id}/cancel`, { reason: 'the case is over' })
  await post(`${WORK}/remove-worker`, { worker: values.get('worker') })
}

async function send(
  { url, key }: ServerUnderTest,
  step: CaseStep,
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
  { say, expect }: CaseStep,
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

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

/** What a response lacks of what was expected, each with its location. Additional fields are allowed. */
function differencesIn(wanted: unknown, found: unknown, place = ''): string[] {
  if (wanted === '$any') return found === null || found === undefined ? [`${place || '/'} is missing`] : []
  if (wanted === '$time')
    return typeof found === 'string' && TIME.test(found) ? [] : [`${place || '/'} is no time: ${show(found)}`]
  if (Array.isArray(wanted)) {
    if (!Array.isArray(found) || found.length !== wanted.length)
      return [`${place || '/'} must have ${wanted.length} entries: ${show(found)}`]
    return wanted.flatMap((each, index) => differencesIn(each, found[index], `${place}/${index}`))
  }
  if (typeof wanted === 'object' && wanted !== null) {
    if (typeof found !== 'object' || found === null)
      return [`${place || '/'} must be an object: ${show(found)}`]
    return Object.entries(wanted).flatMap(([name, each]) =>
      differencesIn(each, (found as Record<string, unknown>)[name], `${place}/${name}`),
    )
  }
  return Object.is(wanted, found) ? [] : [`${place || '/'} is ${show(found)}, not ${show(wanted)}`]
}

function show(value: unknown): string {
  return (JSON.stringify(value) ?? 'missing').slice(0, 200)
}
