/**
 * What one tenant can do to another at the same server: while one sends bodies as large and as costly as it may, or waits as often as it may, the
 * other renews leases, finishes jobs and looks at its lists. Each call of the other is timed.
 */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

const MIB = 1024 * 1024

/** Calls of the calm tenant in one phase, in milliseconds. */
export interface Timed {
  readonly calls: number
  readonly p50: number
  readonly p99: number
  readonly max: number
}

export interface Phase {
  readonly renew: Timed
  readonly finish: Timed
  readonly list: Timed
  /** What the noisy tenant was answered, by status. */
  readonly noisy: Readonly<Record<string, number>>
  readonly failures: readonly string[]
}

interface At {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

type Noise = (noisy: At, over: AbortSignal, answered: (status: number) => void) => Promise<unknown>

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

/** A batch of 1,000 jobs that fills what a batch may have. */
function batchOf(input: string): Buffer {
  const job = `{"queue":"noise","kind":"k","input":[${`${input},`.repeat(Math.floor(5_900 / (input.length + 1)))}0]}`
  return Buffer.from(`{"jobs":[${Array.from({ length: 1_000 }, () => job).join(',')}]}`)
}

const BODIES = {
  largeBatches: () => batchOf('{"id":1234567,"name":"a name of usual length"}'),
  nestedBatches: () => batchOf(nested(60)),
  emptyLists: () => batchOf('[]'),
  tooDeep: () => Buffer.from(`{"jobs":[{"queue":"noise","kind":"k","input":${nested(2.9 * MIB)}}]}`),
  longNumber: () => Buffer.from(`{"jobs":[{"queue":"noise","kind":"k","input":${'7'.repeat(5.9 * MIB)}}]}`),
}

async function send({ url, headers }: At, path: string, body: unknown, signal?: AbortSignal) {
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  })
  return { status: answer.status, body: (await answer.json().catch(() => null)) as never }
}

/** Eight at once, each sent again as soon as it is answered. */
function sending(body: Buffer): Noise {
  return (noisy, over, answered) =>
    Promise.all(
      Array.from({ length: 8 }, async () => {
        while (!over.aborted)
          await send(noisy, '/api/v1/jobs/batch', body).then(
            ({ status }) => answered(status),
            () => answered(0),
          )
      }),
    )
}

/** So many at once that wait for a job which never comes. */
function waiting(count: number, path: (n: number) => string, body: (n: number) => object): Noise {
  return (noisy, over, answered) =>
    Promise.all(
      Array.from({ length: count }, async (_, n) => {
        while (!over.aborted)
          await send(noisy, path(n), body(n), over).then(
            ({ status }) => answered(status),
            () => answered(0),
          )
      }),
    )
}

const NOISES: Readonly<Record<string, () => Noise>> = {
  quiet: () => async () => {},
  ...Object.fromEntries(Object.entries(BODIES).map(([name, make]) => [name, () => sending(make())])),
  waitingPulls: () =>
    waiting(
      300,
      () => '/api/pull_job?wait_sec=30&queue=harvested',
      () => ({}),
    ),
  waitingClaims: () =>
    waiting(
      300,
      () => '/api/v1/work/claim',
      (n) => ({ worker: `w${n}`, queues: [`own-${n}`], limit: 1, wait_ms: 30_000 }),
    ),
}

/** In a thread of its own, so that what takes time is the server and not the making of the noise. Answers how to end it. */
async function begin(noise: string, noisy: At): Promise<() => Promise<Record<string, number>>> {
  const thread = new Worker(new URL(import.meta.url), { workerData: { noise, noisy } })
  const told = () => new Promise<Record<string, number>>((resolve) => thread.once('message', resolve))
  await told()
  return async () => {
    const answers = told()
    thread.postMessage('over')
    const all = await answers
    await thread.terminate()
    return all
  }
}

async function makeNoise({ noise, noisy }: { noise: string; noisy: At }): Promise<void> {
  const over = new AbortController()
  const answers: Record<string, number> = {}
  parentPort?.once('message', () => over.abort())
  const make = NOISES[noise]?.()
  parentPort?.postMessage({})
  await make?.(noisy, over.signal, (status) => {
    answers[status] = (answers[status] ?? 0) + 1
  })
  if (!over.signal.aborted) await new Promise((resolve) => over.signal.addEventListener('abort', resolve))
  parentPort?.postMessage(answers)
}

async function beside(noise: string, noisy: At, calm: At, seconds: number): Promise<Phase> {
  const failures: string[] = []
  const { body: opened } = await send(calm, '/api/v1/work/leases', { worker: 'calm', lease_ms: 30_000 })
  const { lease } = opened as { lease: number }
  const stop = await begin(noise, noisy)
  const until = performance.now() + seconds * 1_000
  const timed = async (call: () => Promise<{ status: number }>) => {
    const times: number[] = []
    while (performance.now() < until) {
      const began = performance.now()
      const { status } = await call()
      times.push(performance.now() - began)
      if (status !== 200) failures.push(String(status))
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    return summary(times)
  }
  const [renew, finish, list] = await Promise.all([
    timed(() => send(calm, '/api/v1/work/renew', { leases: [lease] })),
    timed(() =>
      send(calm, '/api/v1/work/finish', { jobs: [{ job_id: 1, attempt: 1, lease, outcome: 'succeeded' }] }),
    ),
    timed(() => fetch(`${calm.url}/api/v1/jobs?page_size=50`, { headers: calm.headers })),
  ])
  return { renew, finish, list, noisy: await stop(), failures }
}

function summary(times: number[]): Timed {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) =>
    Number((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1))
  return { calls: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) }
}

/** Each noise in turn, beside a tenant that only works and looks. */
export async function neighbours(
  { url, key }: { readonly url: string; readonly key: string },
  seconds: number,
  tell: (text: string) => void,
): Promise<Record<string, Phase>> {
  const as = (tenant: string): At => ({
    url,
    headers: { authorization: `Bearer ${key}`, 'holdfast-tenant': tenant },
  })
  const [noisy, calm] = [as('noisy'), as('calm')]
  await send(noisy, '/api/v1/queues', { name: 'harvested', preset: 'harvest' })
  for (let n = 0; n < 300; n++) await send(noisy, '/api/v1/queues', { name: `own-${n}` })
  for (let n = 0; n < 100; n++) await send(calm, '/api/v1/jobs', { queue: 'calm', kind: 'k' })
  const phases: Record<string, Phase> = {}
  for (const name of Object.keys(NOISES)) {
    const phase = await beside(name, noisy, calm, seconds)
    phases[name] = phase
    const times = (['renew', 'finish', 'list'] as const).map((call) => {
      const { p50, p99, max } = phase[call]
      return `${call} ${p50} / ${p99} / ${max}`
    })
    tell(`${name}: ms p50 / p99 / max: ${times.join(', ')}; answers ${JSON.stringify(phase.noisy)}`)
  }
  return phases
}

if (!isMainThread) await makeNoise(workerData)
