// The pipeline preset's example, run for real: examples/image-pipeline as a process, with SQS, S3 and CloudFront emulated and Postgres of the test run.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Store } from 'holdfast/store'
import sharp from 'sharp'
import { beforeEach, expect, it, vi } from 'vitest'
import { type StartedExample, startExample } from '../support/run-example.js'
import { expectHealthy, freshStore, postgresUrl } from '../support/world.js'

const WAIT = { timeout: 100_000, interval: 50 }

let store: Store
beforeEach(async () => {
  store = await freshStore()
})

async function start(): Promise<{ example: StartedExample; url: string }> {
  const env = { DATABASE_URL: postgresUrl(), HOLDFAST_SCHEMA: store.schema }
  const example = startExample('image-pipeline', ['serve'], env)
  return { example, url: await example.url() }
}

/** Ends it in order; answers its last words: what became of messages, over all of its processes, and the invalidations. */
async function stop(example: StartedExample) {
  expect(await example.interrupt()).toBe(0)
  const counts: Record<string, number> = {}
  for (const line of example.lines) {
    const [, found] = / {2}sqs +(\{.*\})$/.exec(line) ?? []
    if (found === undefined) continue
    for (const [name, count] of Object.entries(JSON.parse(found) as Record<string, number>))
      counts[name] = (counts[name] ?? 0) + count
  }
  const invalidations: unknown = JSON.parse(readFileSync(join(example.out, 'invalidations.json'), 'utf8'))
  return { counts, invalidations }
}

async function upload(
  url: string,
  body: Uint8Array,
  type = 'image/png',
): Promise<{ id: number; image: string }> {
  const answer = await fetch(`${url}/images`, {
    method: 'POST',
    headers: { 'content-type': type },
    body: body as Uint8Array<ArrayBuffer>,
  })
  expect(answer.status).toBe(202)
  return (await answer.json()) as { id: number; image: string }
}

const look = async (url: string, id: number) => (await fetch(`${url}/images/${id}`)).json()
const ended = (url: string, id: number) =>
  vi.waitFor(async () => {
    const seen = (await look(url, id)) as { status: string }
    expect(['completed', 'failed']).toContain(seen.status)
    return seen
  }, WAIT)

it('S2.09 an uploaded image gets its thumbnails and an invalidation through S3, SQS and CloudFront, and a bad one fails once with its reason kept', async () => {
  const { example, url } = await start()
  const picture = sharp({ create: { width: 640, height: 480, channels: 3, background: '#0a7' } })
  const good = await upload(url, await picture.png().toBuffer())
  const bad = await upload(url, Buffer.from('this is no picture'))
  const cut = await upload(url, (await picture.jpeg().toBuffer()).subarray(0, 700), 'image/jpeg')

  // No thumbnail is larger than its image, and each says what it is, not what was asked for.
  expect(await ended(url, good.id)).toMatchObject({
    state: 'succeeded',
    status: 'completed',
    attempt: 1,
    thumbnails: [
      { size: 64, width: 64, height: 48 },
      { size: 320, width: 320, height: 240 },
      { size: 1024, width: 640, height: 480 },
    ],
  })
  const small = await fetch(`${url}/thumbnails/${good.image}/320`)
  expect(await sharp(await small.arrayBuffer()).metadata()).toMatchObject({
    format: 'webp',
    width: 320,
    height: 240,
  })

  for (const { id } of [bad, cut]) {
    const seen = await ended(url, id)
    expect(seen).toMatchObject({
      state: 'failed',
      status: 'failed',
      attempt: 1,
      reason: expect.stringMatching(/^not an image we can read: ./),
    })
    expect(await store.read.attempts(id)).toMatchObject([
      {
        outcome: 'failed',
        final: true,
        errorClass: 'GiveUp',
        errorMessage: expect.stringMatching(/^not an image we can read/),
      },
    ])
  }
  // What cannot be an upload is refused before there is a job.
  expect((await fetch(`${url}/images`, { method: 'POST', body: 'text' })).status).toBe(415)
  await vi.waitFor(
    async () => expect(await store.triggers.depth({ trigger: 'sqs' })).toMatchObject({ unsent: 0 }),
    WAIT,
  )

  const { counts, invalidations } = await stop(example)
  expect(invalidations).toEqual([
    {
      distribution: 'E2IMAGEPIPELINE',
      reference: `job-${good.id}`,
      paths: [`/thumbnails/${good.image}/*`],
    },
  ])
  expect(counts).toMatchObject({ sent: 3, received: 3, claimed: 3, deleted: 3, deadLettered: 2 })
  await expectHealthy(store)
})
