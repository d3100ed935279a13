/**
 * What the example does by itself: uploads its images, asks for what a user would ask for, and looks at what came of it. All of it over
 * HTTP, as you would with curl.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import type { Print } from '../support/print.js'
import { until } from '../support/until.js'
import { imageName } from './api.js'
import type { Cdn } from './cdn.js'
import type { ImageLimits } from './limits.js'
import { type Sample, samples, touredSamples } from './samples.js'
import { type Card, sheetOf } from './sheet.js'

interface TourOptions {
  readonly url: string
  /** Undefined with the CloudFront of Amazon, which refuses nothing on request. */
  readonly cdn: Cdn | undefined
  readonly limits: ImageLimits
  readonly out: string
  readonly print: Print
  readonly stopping: AbortSignal
}

interface ImageAnswer {
  readonly id: number
  readonly image: string
  readonly status: string
  readonly reason?: string
  readonly original?: { readonly width: number; readonly height: number }
  readonly thumbnails?: readonly { readonly size: number; readonly width: number; readonly height: number }[]
}

type Uploaded = Sample & ImageAnswer

/** CloudFront is busy once for this image, and for as long as it takes for the other. */
const BUSY_TIMES = 1
const UNWANTED_TIMES = 1_000
const MIB = 1024 * 1024

export async function tour(options: TourOptions) {
  const { url, cdn, print } = options
  const uploaded: Uploaded[] = []
  mkdirSync(join(options.out, 'samples'), { recursive: true })
  for (const sample of await samples()) {
    // For you to upload.
    writeFileSync(join(options.out, 'samples', sample.name), sample.bytes)
    uploaded.push(await upload(options, sample))
  }
  const { busy, unwanted } = await touredSamples()
  cdn?.refuse(invalidated(busy), BUSY_TIMES)
  uploaded.push(await upload(options, busy))
  const refused = await refusals(options)

  if (cdn !== undefined) {
    cdn.refuse(invalidated(unwanted), UNWANTED_TIMES)
    const { id } = await upload(options, unwanted)
    await look(options, `/images/${id}`, ({ status }) => status !== 'queued' && status !== 'processing')
    print('user', `POST /images/${id}/cancel`)
    await fetch(`${url}/images/${id}/cancel`, { method: 'POST' })
    const { status } = await look(options, `/images/${id}`)
    uploaded.push({ ...unwanted, id, image: '', status, reason: 'canceled' })
  }
  const ended: Uploaded[] = []
  for (const each of uploaded)
    ended.push(each.image === '' ? each : { ...each, ...(await look(options, `/images/${each.id}`)) })
  await draw(options, ended)
  const deleted = await deletion(options, ended)
  const { images, messages } = (await get(url, '/dead-letters')) as { images: unknown[]; messages: number }
  print('dead letters', `GET /dead-letters: ${images.length} images, ${messages} messages in SQS`)
  return { images: ended.map(summary), refused, deleted, deadLetters: images.length }
}

const keyOf = ({ name }: Sample) => `sample ${name}`
const invalidated = (sample: Sample) => `/thumbnails/${imageName(sample.bytes, keyOf(sample))}/*`
const isEnded = ({ status }: ImageAnswer) => status === 'completed' || status === 'failed'

async function upload({ url, print }: TourOptions, sample: Sample): Promise<Uploaded> {
  const form = new FormData()
  form.set('file', new File([new Uint8Array(sample.bytes)], sample.name, { type: sample.type }))
  const headers = { 'idempotency-key': keyOf(sample) }
  const response = await fetch(`${url}/images`, { method: 'POST', body: form, headers })
  if (response.status !== 202) throw new Error(`${sample.name}: ${response.status} ${await response.text()}`)
  const answer = (await response.json()) as ImageAnswer
  print('upload', `${sample.name}, ${sample.bytes.length} bytes: image ${answer.id} ${answer.status}`)
  return { ...sample, ...answer }
}

/** What is refused before there is a job. */
async function refusals({ url, limits, print }: TourOptions): Promise<Record<string, number>> {
  const send = async (name: string, type: string, body: Uint8Array<ArrayBuffer>, key?: string) => {
    const headers = { 'content-type': type, ...(key === undefined ? {} : { 'idempotency-key': key }) }
    const response = await fetch(`${url}/images`, { method: 'POST', headers, body })
    const { detail } = (await response.json()) as { detail?: string }
    print('upload', `${name}: ${response.status} ${detail ?? ''}`, 'bad')
    return response.status
  }
  return {
    'huge.png': await send('huge.png', 'image/png', new Uint8Array(limits.uploadBytesMax + MIB)),
    'notes.txt': await send('notes.txt', 'text/plain', new Uint8Array(10)),
    // The key of another upload, with other bytes.
    'other.jpg': await send('other.jpg', 'image/jpeg', new Uint8Array(10), 'sample sunrise.jpg'),
  }
}

/** An image that is no longer wanted: its original and its thumbnails go. */
async function deletion(options: TourOptions, ended: readonly Uploaded[]): Promise<boolean> {
  const { url, print } = options
  const { id, image } = ended.find(({ name }) => name === 'dot.gif') as Uploaded
  const response = await fetch(`${url}/images/${id}`, { method: 'DELETE' })
  const { delete_job: jobId } = (await response.json()) as { delete_job: number }
  await look(options, `/jobs/${jobId}/status`)
  const { status } = await fetch(`${url}/thumbnails/${image}/64`)
  print('user', `DELETE /images/${id}: its thumbnails answer ${status} now`)
  return status === 404
}

async function draw({ url, out }: TourOptions, ended: readonly Uploaded[]): Promise<void> {
  const cards: Card[] = []
  for (const { name, image, status, reason, thumbnails = [] } of ended) {
    const lines =
      thumbnails.length > 0
        ? [thumbnails.map((each) => `${each.width}×${each.height}`).join(', ')]
        : [reason ?? '']
    const response = thumbnails.length > 0 ? await fetch(`${url}/thumbnails/${image}/320`) : undefined
    const thumbnail =
      response === undefined
        ? {}
        : {
            thumbnail: await sharp(await response.arrayBuffer())
              .jpeg()
              .toBuffer(),
          }
    cards.push({ name, status, lines, ...thumbnail })
  }
  writeFileSync(join(out, 'sheet.svg'), sheetOf(cards))
}

function summary({ name, status, original, thumbnails, reason }: Uploaded) {
  return { name, status, ...(thumbnails === undefined ? { reason } : { original, thumbnails }) }
}

/** Resolves once an answer fits. */
function look(
  { url, stopping }: TourOptions,
  path: string,
  fits: (answer: ImageAnswer) => boolean = isEnded,
): Promise<ImageAnswer> {
  return until(async () => {
    const answer = (await get(url, path)) as ImageAnswer
    return fits(answer) && answer
  }, stopping)
}

const get = async (url: string, path: string): Promise<unknown> => (await fetch(`${url}${path}`)).json()
