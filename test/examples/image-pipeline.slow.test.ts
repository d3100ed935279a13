// examples/image-pipeline, started as its reader starts it. What goes through S3, SQS and CloudFront: test/presets/pipeline-images.slow.test.ts.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, it, vi } from 'vitest'
import { type Exposed, readExposition } from '../support/exposition.js'
import { killsOf, startExample } from '../support/run-example.js'
import { expectHealthy, freshStore, postgresUrl } from '../support/world.js'
import { runReadme } from './readme-commands.js'

const WAIT = { timeout: 100_000, interval: 50 }
const SPEED = ['--speed', '4']
const inSchema = ({ schema }: { schema: string }) => ({
  DATABASE_URL: postgresUrl(),
  HOLDFAST_SCHEMA: schema,
})

interface Image {
  readonly name: string
  readonly status: string
  readonly reason?: string
  readonly thumbnails?: readonly { width: number; height: number; sha256: string }[]
}
interface Result {
  readonly images: readonly Image[]
}
interface Answer {
  readonly id: number
  readonly image: string
  readonly status: string
  readonly reason?: string
}

const API = [
  ...[
    'http_request_duration_seconds',
    'http_requests_total',
    'upload_size_bytes',
    'db_query_duration_seconds',
  ],
  ...['db_query_error_total', 'external_duration_seconds', 'external_error_total'],
]
const WORKER = [
  ...['job_processing_duration_seconds', 'job_queue_latency_milliseconds', 'job_processed_total'],
  ...['image_processing_errors_total', 's3_operation_duration_seconds', 's3_operation_errors_total'],
  ...['db_query_duration_seconds', 'db_query_errors_total', 'cloudfront_operation_duration_seconds'],
  ...['cloudfront_operation_errors_total', 'job_active_count', 'job_queue_depth'],
]

/** Families of a table that have no sample above zero. */
function unfed(scrapes: readonly ReadonlyMap<string, Exposed>[], table: readonly string[]): string[] {
  const isFed = (name: string) =>
    scrapes.some((families) => families.get(name)?.samples.some(({ value }) => value > 0))
  return table.filter((name) => !isFed(name))
}

const scraped = async (url: string) => readExposition(await (await fetch(url)).text())
const answerOf = async (response: Response) => (await response.json()) as Answer

async function send(url: string, bytes: Uint8Array, type = 'image/png'): Promise<Response> {
  const headers = { 'content-type': type }
  return fetch(`${url}/images`, { method: 'POST', headers, body: bytes as Uint8Array<ArrayBuffer> })
}

async function sendForm(
  url: string,
  bytes: Uint8Array,
  type = 'image/png',
  field = 'file',
): Promise<Response> {
  const form = new FormData()
  form.set(field, new File([bytes as Uint8Array<ArrayBuffer>], 'x.png', { type }))
  return fetch(`${url}/images`, { method: 'POST', body: form })
}

const ended = (url: string, path: string) =>
  vi.waitFor(async () => {
    const seen = await answerOf(await fetch(`${url}${path}`))
    expect(['completed', 'failed']).toContain(seen.status)
    return seen
  }, WAIT)

const square = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#0a7' } })
    .png()
    .toBuffer()

it('S2.09 all images end the same, thumbnails by checksum, when workers are killed; bad ones are dead letters with their reasons', async () => {
  const store = await freshStore('postgres', { own: true })
  const second = await freshStore()
  const calm = startExample('image-pipeline', SPEED, inSchema(store))
  const wild = startExample('image-pipeline', [...SPEED, '--chaos', '2'], inSchema(second))
  const result = await calm.result<Result>()
  const byName = new Map(result.images.map((image) => [image.name, image]))
  const sizes = (name: string) =>
    byName.get(name)?.thumbnails?.map(({ width, height }) => `${width}x${height}`)
  expect(sizes('sunrise.jpg')).toEqual(['64x40', '320x200', '1024x640'])
  expect(sizes('harbor.png')).toEqual(['64x48', '320x240', '640x480'])
  expect(sizes('upright.jpg')).toEqual(['64x96', '320x480', '600x900'])
  expect(sizes('dot.gif')).toEqual(['40x30', '40x30', '40x30'])
  expect(byName.get('regatta.png')).toMatchObject({ status: 'completed' })
  const reasons = Object.fromEntries(
    result.images.filter(({ status }) => status === 'failed').map(({ name, reason }) => [name, reason]),
  )
  expect(reasons).toEqual({
    'corrupt.jpg': expect.stringMatching(/^not an image we can read: ./),
    'no-image.png': expect.stringMatching(/^not an image we can read: ./),
    'wrong-type.png': 'it was sent as image/png, and its bytes are jpeg',
    'bomb.png': 'it has 400000000 pixels (20000 × 20000); the most is 50000000',
    'unwanted.png': 'canceled',
  })
  expect(result).toMatchObject({
    refused: { 'huge.png': 413, 'notes.txt': 415, 'other.jpg': 422 },
    deleted: true,
    deadLetters: 5,
  })
  const url = await calm.url()
  const dead = await vi.waitFor(async () => {
    const seen = (await (await fetch(`${url}/dead-letters`)).json()) as { messages: number }
    expect(seen.messages).toBe(5)
    return seen
  }, WAIT)
  const commands = await runReadme('image-pipeline', calm)
  expect(commands.length).toBeGreaterThan(1)
  for (const { command, expected, status } of commands) expect([command, status]).toEqual([command, expected])
  expect(JSON.stringify(dead)).toContain('it was sent as image/png')
  expect(readFileSync(join(calm.out, 'sheet.svg'), 'utf8').match(/<image /g)).toHaveLength(7)
  expect(await calm.interrupt()).toBe(0)
  await expectHealthy(store)

  expect(await wild.result()).toEqual(result)
  expect(killsOf(wild)).toBeGreaterThan(2)
  expect(await wild.interrupt()).toBe(0)
  await expectHealthy(second)
})

it('S2.08 the API and the workers export all 19 metric families during real work', async () => {
  const store = await freshStore()
  const example = startExample('image-pipeline', SPEED, {
    ...inSchema(store),
    IMAGE_CONCURRENCY: '1',
  })
  const url = await example.url()
  const workers = await Promise.all(
    ['worker-1', 'worker-2'].map(
      async (name) => (await example.shows(new RegExp(`${name} +metrics at (\\S+)`)))[1] as string,
    ),
  )
  const gone = await answerOf(await sendForm(url, await square(300, 200)))
  await ended(url, `/images/${gone.id}`)
  // The original of an image is missing: a deletion, and then another try of what was there.
  const bad = await answerOf(await send(url, Buffer.from('no picture')))
  await ended(url, `/images/${bad.id}`)
  const { delete_job } = (await (await fetch(`${url}/images/${bad.id}`, { method: 'DELETE' })).json()) as {
    delete_job: number
  }
  await ended(url, `/jobs/${delete_job}/status`)
  const again = await answerOf(await fetch(`${url}/dead-letters/${bad.id}/retry`, { method: 'POST' }))
  expect(await ended(url, `/images/${again.id}`)).toMatchObject({ reason: 'the original is gone' })
  expect((await fetch(`${url}/thumbnails/${bad.image}/64`)).status).toBe(404)

  // Gauges show what is there now, so there is always more to do until they have shown it.
  const large = await sharp({ create: { width: 4_000, height: 3_000, channels: 3, background: '#07a' } })
    .jpeg()
    .toBuffer()
  await vi.waitFor(async () => {
    const [first] = await Promise.all(
      Array.from({ length: 8 }, async () => answerOf(await send(url, large, 'image/jpeg'))),
    )
    // Comes too late, behind the others: the database refuses it.
    await fetch(`${url}/images/${first?.id}/cancel`, { method: 'POST' })
    const scrapes = await Promise.all(workers.map(scraped))
    expect(unfed(scrapes, WORKER)).toEqual([])
  }, WAIT)
  expect(unfed([await scraped(`${url}/metrics`)], API)).toEqual([])
  expect(API.length + WORKER.length).toBe(19)
  expect(await example.interrupt()).toBe(0)
})

it('uploads have limits of bytes and pixels, each met to the unit, and are refused with what to do', async () => {
  const store = await freshStore()
  const tiny = await square(30, 20)
  const example = startExample('image-pipeline', ['serve', ...SPEED], {
    ...inSchema(store),
    IMAGE_UPLOAD_BYTES_MAX: '5000',
    IMAGE_PIXELS_MAX: '1000',
  })
  const url = await example.url()
  const padded = (bytes: number) => Buffer.concat([tiny, Buffer.alloc(bytes - tiny.length)])
  for (const way of [send, sendForm]) {
    const statuses = await Promise.all(
      [4_999, 5_000, 5_001].map(async (n) => (await way(url, padded(n))).status),
    )
    expect([way.name, ...statuses]).toEqual([way.name, 202, 202, 413])
  }
  const detail = async (response: Response) => ((await response.json()) as { detail: string }).detail
  expect(await detail(await sendForm(url, padded(5_001)))).toBe('The image has 5001 bytes; the most is 5000.')
  expect((await send(url, new Uint8Array(1_000_000))).status).toBe(413)
  expect((await send(url, new Uint8Array(0))).status).toBe(400)
  expect(await detail(await send(url, tiny, 'image/tiff'))).toMatch(
    /"image\/tiff" is not taken: send image\/jpeg/,
  )
  expect(await detail(await sendForm(url, tiny, 'text/plain'))).toMatch(/"text\/plain" is not taken/)
  expect(await detail(await sendForm(url, tiny, 'image/png', 'photo'))).toMatch(
    /one file, in the field "file"/,
  )
  const broken = await fetch(`${url}/images`, {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
    body: 'no form',
  })
  expect([broken.status, await detail(broken)]).toEqual([
    400,
    expect.stringMatching(/The form cannot be read/),
  ])

  const pixels = [
    { width: 27, height: 37, status: 'completed' },
    { width: 40, height: 25, status: 'completed' },
    { width: 7, height: 143, status: 'failed' },
  ]
  for (const { width, height, status } of pixels) {
    const { id } = await answerOf(await sendForm(url, await square(width, height)))
    expect([width * height, (await ended(url, `/images/${id}`)).status]).toEqual([width * height, status])
  }
  for (const path of [
    '/images/999',
    '/images/x',
    '/images/999/attempts',
    '/thumbnails/none/64',
    '/thumbnails/none/65',
  ])
    expect([path, (await fetch(`${url}${path}`)).status]).toEqual([path, 404])
  expect(await example.interrupt()).toBe(0)
})

it('S2.10 a user cancels an image, and its attempts are logged with their durations, reasons, retries and status', async () => {
  const store = await freshStore()
  // Not faster: between two attempts there is time for the cancellation.
  const example = startExample('image-pipeline', [], inSchema(store))
  await example.result()
  const url = await example.url()
  const canceled = /POST \/images\/(\d+)\/cancel/.exec(example.lines.join('\n'))?.[1]
  expect(await ended(url, `/images/${canceled}`)).toMatchObject({ status: 'failed', reason: 'canceled' })
  const again = await fetch(`${url}/images/${canceled}/cancel`, { method: 'POST' })
  expect([again.status, await again.json()]).toEqual([
    409,
    { status: 409, detail: 'The image is failed already.' },
  ])
  const busy = /regatta\.png, \d+ bytes: image (\d+) queued/.exec(example.lines.join('\n'))?.[1]
  const log = (await (await fetch(`${url}/images/${busy}/attempts`)).json()) as { attempts: unknown[] }
  expect(log).toMatchObject({ status: 'completed' })
  expect(log.attempts).toEqual([
    expect.objectContaining({
      attempt: 1,
      retry: 0,
      status: 'failed_retryable',
      duration_ms: expect.any(Number),
      reason: expect.stringMatching(/too many invalidations/),
    }),
    expect.objectContaining({ attempt: 2, retry: 1, status: 'completed', reason: null }),
  ])
  await example.shows(
    /job \d+ thumbnails failed_retryable, attempt 1, retry 0, \d+ ms: too many invalidations/,
  )
  expect(await example.interrupt()).toBe(0)
})
