// The upload API: an image goes into the bucket, and a job for it into Postgres. It never waits for the thumbnails.
import { randomUUID } from 'node:crypto'
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import fastify from 'fastify'
import { BUCKET, s3 } from './aws.js'
import { thumbnails, WIDTHS } from './jobs.js'

const BYTES_MOST = 10 * 1024 * 1024

export function uploadApi(app) {
  const api = fastify({ bodyLimit: BYTES_MOST })
  api.addContentTypeParser(/^image\//, { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

  api.post('/images', async (request, reply) => {
    if (!Buffer.isBuffer(request.body) || request.body.length === 0)
      return reply.code(415).send({ error: 'send the bytes of an image, with its content-type' })
    const image = randomUUID()
    // First the bytes: a job without its image would be a job that fails.
    const put = { Bucket: BUCKET, Key: `originals/${image}`, Body: request.body }
    await s3.send(new PutObjectCommand({ ...put, ContentType: request.headers['content-type'] }))
    const { id } = await app.enqueue(thumbnails, { image })
    return reply.code(202).header('location', `/images/${id}`).send({ id, image, state: 'queued' })
  })

  api.get('/images/:id', async (request, reply) => {
    const job = await app.store.read.job(Number(request.params.id)).catch(() => undefined)
    if (job === undefined) return reply.code(404).send({ error: 'there is no such image' })
    const { id, state, attempt, result, lastError } = job
    return {
      id,
      image: job.input.image,
      state,
      attempt,
      ...result,
      ...(state === 'failed' ? { reason: lastError } : {}),
    }
  })

  api.get('/thumbnails/:image/:width', async (request, reply) => {
    const { image, width } = request.params
    if (!WIDTHS.includes(Number(width)))
      return reply.code(404).send({ error: `there are ${WIDTHS.join(', ')}` })
    try {
      const { Body } = await s3.send(
        new GetObjectCommand({ Bucket: BUCKET, Key: `thumbnails/${image}/${width}.webp` }),
      )
      return reply.type('image/webp').send(Body)
    } catch (error) {
      if (error.name !== 'NoSuchKey') throw error
      return reply.code(404).send({ error: 'not yet' })
    }
  })
  return api
}
