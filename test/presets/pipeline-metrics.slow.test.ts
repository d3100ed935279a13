// S2.08: the families of the lifecycle document, told by real processes after real traffic.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Store } from 'holdfast/store'
import { expect, it, onTestFinished } from 'vitest'
import { emptyFolder } from '../support/cli/child.js'
import { ended, start } from '../support/cli/long-running.js'
import { type Exposed, readExposition, samplesOf } from '../support/exposition.js'
import { freshStore, postgresUrl } from '../support/world.js'

type Row = readonly [name: string, type: string, labels: string, buckets?: readonly number[]]

const CALLS = [0.1, 0.3, 0.5, 1, 2, 5, 10]
const WORK = [0.1, 0.3, 0.5, 0.7, 1, 3, 5, 7, 10]
const CLOUD = [0.1, 0.3, 0.5, 1, 3, 5, 7, 10]

/** As the document has them. */
const API: readonly Row[] = [
  ['http_request_duration_seconds', 'histogram', 'method route status_code', CALLS],
  ['http_requests_total', 'counter', 'method route status_code'],
  [
    'upload_size_bytes',
    'histogram',
    'mime_type',
    [1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288, 1048576],
  ],
  ['db_query_duration_seconds', 'histogram', 'operation table', CALLS],
  ['db_query_error_total', 'counter', 'operation table error_code'],
  ['external_duration_seconds', 'histogram', 'service operation', CALLS],
  ['external_error_total', 'counter', 'service operation error_code'],
]

const WORKER: readonly Row[] = [
  ['job_processing_duration_seconds', 'histogram', 'job_type status', WORK],
  [
    'job_queue_latency_milliseconds',
    'histogram',
    'job_type',
    [
      10, 30, 50, 70, 100, 300, 500, 700, 1000, 1500, 2000, 2500, 3000, 3500, 4000, 4500, 5000, 5500, 6000,
      6500, 7000, 7500, 8000, 8500, 9000, 9500, 10000,
    ],
  ],
  ['job_processed_total', 'counter', 'job_type status'],
  ['image_processing_errors_total', 'counter', 'error_type'],
  ['s3_operation_duration_seconds', 'histogram', 'operation bucket', CLOUD],
  ['s3_operation_errors_total', 'counter', 'operation bucket error_code'],
  ['db_query_duration_seconds', 'histogram', 'query_type', WORK],
  ['db_query_errors_total', 'counter', 'query_type error_type'],
  ['cloudfront_operation_duration_seconds', 'histogram', 'operation', CLOUD],
  ['cloudfront_operation_errors_total', 'counter', 'operation error_code'],
  ['job_active_count', 'gauge', 'job_type'],
  ['job_queue_depth', 'gauge', 'job_type'],
]

/** A family as it was told, in the shape of the table; every sample must have the same labels. */
function rowOf(name: string, { type, samples }: Exposed): Row {
  const sets = new Set(
    samples.map(({ labels }) =>
      Object.keys(labels)
        .filter((label) => label !== 'le')
        .join(' '),
    ),
  )
  const bounds = new Set(samples.flatMap(({ labels }) => (labels.le === undefined ? [] : [labels.le])))
  const labels = [...sets].join(' and also ')
  if (type !== 'histogram') return [name, type, labels]
  expect([...bounds].at(-1)).toBe('+Inf')
  return [name, type, labels, [...bounds].slice(0, -1).map(Number)]
}

function expectTable(families: ReadonlyMap<string, Exposed>, table: readonly Row[]): void {
  const told = table.map(([name]) => rowOf(name, families.get(name) ?? { type: 'missing', samples: [] }))
  expect(told).toEqual(table)
  const empty = table.filter(
    ([name, type]) =>
      !families
        .get(name)
        ?.samples.some(
          (sample) => sample.value > 0 && (type !== 'histogram' || sample.name === `${name}_count`),
        ),
  )
  expect(empty).toEqual([])
}

/** Services elsewhere: /ok is fine, /fail is not, and whoever asks for /hold waits until it is let go. */
async function servicesElsewhere() {
  const held: ServerResponse[] = []
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      if (request.url === '/hold') held.push(response)
      else response.writeHead(request.url === '/ok' ? 200 : 503).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const letGo = () => {
    for (const response of held.splice(0)) response.end()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, held, letGo }
}

async function uploadServer(store: Store, elsewhere: string): Promise<string> {
  const program = fileURLToPath(new URL('./programs/upload-server.js', import.meta.url))
  const options = JSON.stringify({ url: postgresUrl(), schema: store.schema, elsewhere })
  const child = spawn(process.execPath, [program, options], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
  })
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  return JSON.parse(String(line)).listening
}

const scraped = async (url: string) => readExposition(await (await fetch(url)).text())

it('S2.08 a server exports the seven metric families of the API: names, types, labels, buckets, and a sample of each', async () => {
  const store = await freshStore()
  const elsewhere = await servicesElsewhere()
  const url = await uploadServer(store, elsewhere.url)
  const post = (path: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string>) =>
    fetch(`${url}${path}`, { method: 'POST', body, headers })
  const png = { 'content-type': 'image/png' }
  expect(await (await post('/upload/ok', new Uint8Array(3000), png)).json()).toEqual({ stored: true })
  expect(await (await post('/upload/fail', new Uint8Array(70_000), png)).json()).toEqual({ stored: false })
  const keyed = { 'content-type': 'application/json', 'idempotency-key': 'once' }
  const job = (kind: string) => post('/api/v1/jobs', JSON.stringify({ queue: 'q', kind }), keyed)
  expect((await job('one')).status).toBe(201)
  // The database refuses the same key for something else.
  expect((await job('another')).status).toBe(422)

  const families = await scraped(`${url}/metrics`)
  expectTable(families, API)
  const counted = (name: string, labels: Record<string, string>) =>
    samplesOf(families, name, labels)[0]?.value
  expect(counted('upload_size_bytes', { mime_type: 'image/png', le: '4096' })).toBe(1)
  expect(counted('upload_size_bytes', { mime_type: 'image/png', le: '131072' })).toBe(2)
  expect(
    counted('external_error_total', { service: 'storage', operation: 'put', error_code: 'HTTP_503' }),
  ).toBe(1)
  expect(counted('http_requests_total', { method: 'POST', route: '/api/v1/jobs', status_code: '422' })).toBe(
    1,
  )
  expect(counted('db_query_error_total', { error_code: 'idempotency_mismatch' })).toBe(1)
  for (const [name] of WORKER)
    if (name !== 'db_query_duration_seconds') expect(families.has(name)).toBe(false)
})

it('S2.08 a worker exports the twelve metric families of the worker: names, types, labels, buckets, and a sample of each', async () => {
  const store = await freshStore()
  const elsewhere = await servicesElsewhere()
  const jobs = fileURLToPath(new URL('./programs/measured-jobs.js', import.meta.url))
  const worker = start(['worker', jobs, '--metrics-port', '0', '--concurrency', '1'], emptyFolder(), {
    DATABASE_URL: postgresUrl(),
    HOLDFAST_SCHEMA: store.schema,
  })
  const { url } = (await worker.said(({ msg }) => msg === 'metrics')) as unknown as { url: string }
  await worker.said(({ msg }) => msg === 'working')
  const queue = 'images'
  const input = (how: string) => ({ elsewhere: elsewhere.url, how })
  await store.enqueue({ queue, kind: 'thumbnail', input: input('ok') })
  await store.enqueue({ queue, kind: 'thumbnail', input: input('fail'), maxRetries: 0 })
  await store.enqueue({ queue, kind: 'apart', input: null })
  await store.enqueue({ queue, kind: 'hold', input: input('hold') })
  await expect.poll(() => elsewhere.held.length).toBe(1)
  // Behind the one that holds the only place.
  await store.enqueueMany(
    Array.from({ length: 30 }, () => ({ queue, kind: 'thumbnail', input: input('ok') })),
  )

  await expect
    .poll(async () => (await scraped(url)).get('job_queue_depth')?.samples.some(({ value }) => value > 0))
    .toBe(true)
  const families = await scraped(url)
  expectTable(families, WORKER)
  const value = (name: string, labels: Record<string, string>) => samplesOf(families, name, labels)[0]?.value
  expect(value('job_active_count', { job_type: 'hold' })).toBe(1)
  expect(value('job_processed_total', { job_type: 'thumbnail', status: 'completed' })).toBe(1)
  expect(value('job_processed_total', { job_type: 'thumbnail', status: 'failed' })).toBe(1)
  expect(
    value('s3_operation_errors_total', { operation: 'GetObject', bucket: 'photos', error_code: 'HTTP_503' }),
  ).toBe(1)
  expect(value('cloudfront_operation_errors_total', { error_code: 'HTTP_503' })).toBe(1)
  expect(value('db_query_errors_total', { query_type: 'insert_photo', error_type: 'HTTP_503' })).toBe(1)
  expect(value('external_duration_seconds', { service: 'apart', le: '+Inf' })).toBe(1)
  expect(value('image_processing_errors_total', { error_type: 'BadImage' })).toBe(1)
  expect(
    value('external_error_total', { service: 'notifier', operation: 'notify', error_code: 'HTTP_503' }),
  ).toBe(1)
  for (const name of ['http_requests_total', 'upload_size_bytes', 'db_query_error_total'])
    expect(families.has(name)).toBe(false)
  elsewhere.letGo()
  await expect.poll(() => worker.lines.filter(ended).length).toBe(34)
  worker.child.kill('SIGTERM')
  await worker.end
})
