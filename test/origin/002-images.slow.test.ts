// Document 002's example, run for real: examples/image-pipeline as a process, with SQS, S3 and CloudFront emulated and Postgres of the test run.
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Store } from 'holdfast'
import sharp from 'sharp'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { AWS_ENV } from '../support/sqs.js'
import { expectHealthy, freshStore, postgresUrl } from '../support/world.js'

const START = fileURLToPath(new URL('../../examples/image-pipeline/start.js', import.meta.url))
const WAIT = { timeout: 45_000, interval: 50 }

interface Pipeline {
  readonly url: string
  /** Ends it in order; answers its last words. */
  stop(): Promise<{
    counts: Record<string, number>
    invalidations: { distribution: string; reference: string; paths: string[] }[]
  }>
}

let store: Store
beforeEach(async () => {
  store = await freshStore()
})

async function start(): Promise<Pipeline> {
  const env = { ...process.env, DATABASE_URL: postgresUrl(), HOLDFAST_SCHEMA: store.schema, ...AWS_ENV }
  const child: ChildProcess = spawn(process.execPath, [START, '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const said: string[] = []
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => said.push(line))
  const gone = new Promise((resolve) => child.once('close', resolve))
  const url = await vi.waitFor(() => {
    const found = /upload images to (\S+)\/images/.exec(said.join('\n'))?.[1]
    if (found === undefined) throw new Error('the pipeline is not there yet')
    return found
  }, WAIT)
  return {
    url,
    async stop() {
      child.kill('SIGTERM')
      await gone
      return JSON.parse(said.at(-1) ?? '')
    },
  }
}

async function upload(url: string, body: Uint8Array): Promise<{ id: number; image: string }> {
  const answer = await fetch(`${url}/images`, {
    method: 'POST',
    headers: { 'content-type': 'image/png' },
    body: body as Uint8Array<ArrayBuffer>,
  })
  expect(answer.status).toBe(202)
  return (await answer.json()) as { id: number; image: string }
}

const look = async (url: string, id: number) => (await fetch(`${url}/images/${id}`)).json()
const ended = (url: string, id: number) =>
  vi.waitFor(async () => {
    const seen = (await look(url, id)) as { state: string }
    expect(['succeeded', 'failed']).toContain(seen.state)
    return seen
  }, WAIT)

it('S2.09 an uploaded image gets its thumbnails and an invalidation through S3, SQS and CloudFront, and a bad one fails once with its reason kept', async () => {
  const pipeline = await start()
  const picture = sharp({ create: { width: 640, height: 480, channels: 3, background: '#0a7' } })
  const good = await upload(pipeline.url, await picture.png().toBuffer())
  const bad = await upload(pipeline.url, Buffer.from('this is no picture'))
  const cut = await upload(pipeline.url, (await picture.jpeg().toBuffer()).subarray(0, 700))

  expect(await ended(pipeline.url, good.id)).toMatchObject({
    state: 'succeeded',
    attempt: 1,
    thumbnails: [
      { width: 64, height: 48 },
      { width: 320, height: 240 },
      { width: 1024, height: 480 },
    ],
  })
  const small = await fetch(`${pipeline.url}/thumbnails/${good.image}/320`)
  expect(await sharp(await small.arrayBuffer()).metadata()).toMatchObject({
    format: 'webp',
    width: 320,
    height: 240,
  })

  for (const { id } of [bad, cut]) {
    const seen = await ended(pipeline.url, id)
    expect(seen).toMatchObject({
      state: 'failed',
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
  expect((await fetch(`${pipeline.url}/images`, { method: 'POST', body: 'text' })).status).toBe(415)
  await vi.waitFor(
    async () => expect(await store.triggers.depth({ trigger: 'sqs' })).toMatchObject({ unsent: 0 }),
    WAIT,
  )

  const { counts, invalidations } = await pipeline.stop()
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
