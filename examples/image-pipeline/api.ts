/**
 * The API: an image goes into the bucket, and a job for it into Postgres. It never waits for the thumbnails, and it never ends a job: what
 * it wants ended, it asks for with another job. Its routes are beside those of the server of Holdfast, whose /metrics count them.
 */
import { randomUUID } from 'node:crypto'
import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { type App, HoldfastError } from 'holdfast'
import { type ServerMetrics, serverMetrics } from 'holdfast/metrics'
import { buildServer } from 'holdfast/server'
import type { SqsBridge } from 'holdfast/sqs'
import { type Attempt, type Job, stateWord } from 'holdfast/store'
import type { Aws } from './aws.js'
import { type ImageJobs, isMissing, originalKey, QUEUE, thumbnailKey } from './jobs.js'
import { type ImageLimits, SIZES } from './limits.js'
import { sha256 } from './thumbnails.js'
import { FORM_BYTES_MAX, HOW_TO_UPLOAD, Refused, uploadOf } from './uploads.js'

interface ApiNeeds {
  readonly app: App
  readonly aws: Aws
  readonly jobs: ImageJobs
  readonly limits: ImageLimits
  readonly sqs: SqsBridge
}

type Api = ApiNeeds & { readonly metrics: ServerMetrics }

export function imageApi(needs: ApiNeeds): FastifyInstance {
  const api: Api = { ...needs, metrics: serverMetrics() }
  const server = buildServer(needs.app.store, { loopback: true, log: false, metrics: api.metrics })
  const asBuffer = { parseAs: 'buffer' } as const
  server.addContentTypeParser(/^(image\/|multipart\/form-data)/, asBuffer, (_request, body, done) =>
    done(null, body),
  )
  uploads(server, api)
  reads(server, api)
  requests(server, api)
  deadLetters(server, api)
  return server
}

/** With an idempotency key the same upload has the same name, and other bytes have another. */
export function imageName(bytes: Buffer, idempotencyKey: string | undefined): string {
  return idempotencyKey === undefined
    ? randomUUID()
    : sha256(`${idempotencyKey}\n${sha256(bytes)}`).slice(0, 32)
}

function uploads(server: FastifyInstance, { app, aws, jobs, limits, metrics }: Api): void {
  const bodyLimit = limits.uploadBytesMax + FORM_BYTES_MAX
  server.post('/images', { bodyLimit, errorHandler: refuseUpload(limits) }, async (request, reply) => {
    try {
      const { type, bytes } = await uploadOf(request.headers['content-type'] ?? '', request.body, limits)
      const idempotencyKey = request.headers['idempotency-key']?.toString()
      const image = imageName(bytes, idempotencyKey)
      // First the bytes: a job without its image would be a job that fails.
      const put = { Bucket: aws.bucket, Key: originalKey(image), Body: bytes, ContentType: type }
      await metrics.measure.external('s3', 'PutObject', () => aws.s3.send(new PutObjectCommand(put)))
      const options = idempotencyKey === undefined ? {} : { idempotencyKey }
      const { id } = await app.enqueue(jobs.thumbnails, { image, type }, options).catch(async (error) => {
        await aws.s3
          .send(new DeleteObjectCommand({ Bucket: aws.bucket, Key: originalKey(image) }))
          .catch(() => {})
        throw error
      })
      return reply
        .code(202)
        .header('location', `/images/${id}`)
        .send(shown(await app.store.read.job(id)))
    } catch (error) {
      if (error instanceof Refused) return problem(reply, error.status, error.message)
      throw error
    }
  })
}

/** What Fastify refuses before the route is called. */
function refuseUpload({ uploadBytesMax }: ImageLimits) {
  return (error: Error & { readonly code?: string }, _request: unknown, reply: FastifyReply) => {
    if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE')
      return problem(reply, 413, `The image is too large; the most is ${uploadBytesMax} bytes.`)
    if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return problem(reply, 415, HOW_TO_UPLOAD)
    throw error
  }
}

function reads(server: FastifyInstance, { app, aws, metrics }: Api): void {
  server.get<{ Params: { id: string } }>('/images/:id', async ({ params }, reply) => {
    const job = await imageJob(app, params.id)
    return job === undefined ? problem(reply, 404, NO_IMAGE) : shown(job)
  })

  server.get<{ Params: { id: string } }>('/images/:id/attempts', async ({ params }, reply) => {
    const job = await imageJob(app, params.id)
    if (job === undefined) return problem(reply, 404, NO_IMAGE)
    const attempts = await app.store.read.attempts(job.id)
    return { id: job.id, status: shown(job).status, attempts: attempts.map(shownAttempt) }
  })

  server.get<{ Params: { image: string; size: string } }>(
    '/thumbnails/:image/:size',
    async ({ params }, reply) => {
      const size = SIZES.find((each) => String(each) === params.size)
      if (size === undefined) return problem(reply, 404, `There are the sizes ${SIZES.join(', ')}.`)
      const get = new GetObjectCommand({ Bucket: aws.bucket, Key: thumbnailKey(params.image, size) })
      try {
        const { Body } = await metrics.measure.external('s3', 'GetObject', () => aws.s3.send(get))
        return reply.type('image/webp').send(Body)
      } catch (error) {
        if (!isMissing(error)) throw error
        return problem(reply, 404, 'There is no such thumbnail, or not yet: look at the status of its image.')
      }
    },
  )
}

/** What the API may only ask for: a worker does it. */
function requests(server: FastifyInstance, { app, jobs }: Api): void {
  server.post<{ Params: { id: string } }>('/images/:id/cancel', async ({ params }, reply) => {
    const job = await imageJob(app, params.id)
    if (job === undefined) return problem(reply, 404, NO_IMAGE)
    if (job.finishedAt !== null) return problem(reply, 409, `The image is ${shown(job).status} already.`)
    const kind = 'holdfast.cancel'
    const { jobId } = await app.store.enqueue({
      queue: QUEUE,
      kind,
      input: { jobId: job.id, reason: 'asked for by the API' },
      key: `${kind}:${job.id}`,
    })
    return reply.code(202).send({ ...shown(job), cancel_job: jobId })
  })

  server.delete<{ Params: { id: string } }>('/images/:id', async ({ params }, reply) => {
    const job = await imageJob(app, params.id)
    if (job === undefined) return problem(reply, 404, NO_IMAGE)
    const { image } = job.input as { image: string }
    const { id } = await app.enqueue(jobs.deletion, { image })
    return reply.code(202).send({ ...shown(job), delete_job: id })
  })

  server.get<{ Params: { id: string } }>('/jobs/:id/status', async ({ params }, reply) => {
    const job = await jobOf(app, params.id)
    if (job === undefined || job.queue !== QUEUE) return problem(reply, 404, 'There is no such job.')
    return { id: job.id, kind: job.kind, state: job.state, status: statusOf(job), attempt: job.attempt }
  })
}

/** Images that failed for good, and how many messages about them are in the dead-letter queue of SQS. */
function deadLetters(server: FastifyInstance, { app, sqs }: Api): void {
  server.get('/dead-letters', async () => {
    const { rows } = await app.store.list.jobs({ queue: QUEUE, state: 'failed', limit: 100 })
    const { deadLetters: messages } = await sqs.status(app.store)
    return {
      messages: messages === null ? 0 : messages.visible + messages.inFlight,
      images: rows.map(({ id, kind, attempt, reason, lastError, finishedAt }) => ({
        id,
        kind,
        status: 'failed',
        attempt,
        reason: reasonOf({ reason, lastError }),
        finished_at: finishedAt,
      })),
    }
  })

  /** A failed job stays failed: this is a new one, linked to it. */
  server.post<{ Params: { id: string } }>('/dead-letters/:id/retry', async ({ params }, reply) => {
    const job = await jobOf(app, params.id)
    if (job === undefined || job.queue !== QUEUE) return problem(reply, 404, 'There is no such dead letter.')
    if (job.state !== 'failed') return problem(reply, 409, `Job ${job.id} is ${statusOf(job)}, not failed.`)
    const { jobId } = await app.jobs.retry(job.id, { actor: 'api', reason: 'sent back to work' })
    return reply
      .code(202)
      .header('location', `/images/${jobId}`)
      .send(shown(await app.store.read.job(jobId)))
  })
}

const NO_IMAGE = 'There is no such image.'

async function imageJob(app: App, id: string): Promise<Job | undefined> {
  const job = await jobOf(app, id)
  return job?.queue === QUEUE && job.kind === 'thumbnails' ? job : undefined
}

async function jobOf(app: App, id: string): Promise<Job | undefined> {
  if (!/^\d{1,15}$/.test(id)) return undefined
  try {
    return await app.store.read.job(Number(id))
  } catch (error) {
    if (error instanceof HoldfastError && error.code === 'unknown_job') return undefined
    throw error
  }
}

/** `state` is what Holdfast calls it everywhere, `status` what the lifecycle of images calls it. */
function shown(job: Job) {
  const { id, state, attempt, failures, result } = job
  const { image } = job.input as { image: string }
  const why = state === 'succeeded' ? null : reasonOf(job)
  return {
    id,
    image,
    state,
    status: statusOf(job),
    attempt,
    retries: Math.max(0, attempt - 1),
    failures,
    ...(why === null ? {} : { reason: why }),
    ...(result as object | null),
  }
}

/** A canceled image was given up while it waited for its next attempt, or has the request as its reason. What failed before is not why. */
function reasonOf({ reason, lastError }: Pick<Job, 'reason' | 'lastError'>): string | null {
  if (reason === 'discarded' || reason?.startsWith('canceled')) return 'canceled'
  return lastError ?? reason
}

const statusOf = ({ state, attempt }: Pick<Job, 'state' | 'attempt'>) =>
  stateWord('pipeline', state, { attempted: attempt > 0 })

function shownAttempt({
  attempt,
  worker,
  claimedAt,
  finishedAt,
  movedTo,
  outcome,
  reason,
  errorMessage,
}: Attempt) {
  return {
    attempt,
    retry: attempt - 1,
    worker,
    outcome,
    status: stateWord('pipeline', movedTo, { attempted: true }),
    started_at: claimedAt,
    duration_ms: claimedAt === null ? null : finishedAt.getTime() - claimedAt.getTime(),
    reason: errorMessage ?? reason,
  }
}

function problem(reply: FastifyReply, status: number, detail: string) {
  return reply.code(status).type('application/problem+json').send(JSON.stringify({ status, detail }))
}
