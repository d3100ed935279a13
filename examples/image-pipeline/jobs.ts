/** What is done with images: thumbnails beside the original in the bucket, deletion of all of it, and the CDN forgets what it had. */
import { CreateInvalidationCommand } from '@aws-sdk/client-cloudfront'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { defineJob, GiveUp, type JobContext } from 'holdfast'
import { z } from 'zod'
import type { Aws } from './aws.js'
import { IMAGE_TYPES, type ImageLimits, SIZES } from './limits.js'
import { BadImage, checkBytes, sha256, thumbnailsOf } from './thumbnails.js'

export const QUEUE = 'images'

export const originalKey = (image: string) => `originals/${image}`
export const thumbnailKey = (image: string, size: number) => `thumbnails/${image}/${size}.webp`

const image = z.string().regex(/^[a-z0-9-]{1,64}$/)

/** What the jobs work with; a process that only enqueues them needs none of it. */
interface Needs {
  readonly aws: Aws
  readonly limits: ImageLimits
  begun?(what: string): void
}

export type ImageJobs = ReturnType<typeof imageJobs>

export function imageJobs({ aws, limits, begun }: Needs) {
  const thumbnails = defineJob({
    kind: 'thumbnails',
    queue: QUEUE,
    input: z.object({ image, type: z.enum(IMAGE_TYPES) }),
    key: '{image}',
    async handler(ctx, input) {
      begun?.(`job ${ctx.jobId}: thumbnails, attempt ${ctx.attempt}`)
      const original = await originalOf(ctx, aws, input.image)
      await ctx.measure.image(() => checkBytes(original.bytes, limits)).catch(giveUpOn)
      const bytes = await original.read()
      const made = await ctx.measure.image(() => thumbnailsOf(bytes, input.type, limits)).catch(giveUpOn)
      for (const { size, data } of made.thumbnails) {
        // The same name each time: a second attempt writes over what the first has left.
        const put = { Key: thumbnailKey(input.image, size), Body: data, ContentType: 'image/webp' }
        const command = new PutObjectCommand({ Bucket: aws.bucket, ...put })
        await call(ctx, aws, 'PutObject', (options) => aws.s3.send(command, options))
      }
      await checkStillThere(ctx, aws, input.image)
      await forget(ctx, aws, input.image)
      return {
        original: { ...made.original, bytes: bytes.length },
        thumbnails: made.thumbnails.map(({ data, ...size }) => ({
          ...size,
          bytes: data.length,
          sha256: sha256(data),
        })),
      }
    },
  })

  const deletion = defineJob({
    kind: 'delete-image',
    queue: QUEUE,
    input: z.object({ image }),
    key: 'delete:{image}',
    async handler(ctx, input) {
      begun?.(`job ${ctx.jobId}: deletion, attempt ${ctx.attempt}`)
      // The original first: a job that makes thumbnails meanwhile sees that it is gone, and removes them.
      await remove(ctx, aws, originalKey(input.image))
      await removeThumbnails(ctx, aws, input.image)
      await forget(ctx, aws, input.image)
      return { deleted: input.image }
    },
  })
  return { thumbnails, deletion }
}

/** A strict queue with SQS as its trigger. The lease is a hard limit of an attempt; nothing renews it. */
export function imageQueues({
  leaseMs,
  retryBaseMs,
}: {
  readonly leaseMs: number
  readonly retryBaseMs: number
}) {
  // You are invited to kill workers: no image is blamed for it.
  return {
    [QUEUE]: { preset: 'pipeline', externalTrigger: 'sqs', leaseMs, retryBaseMs, crashBudget: null },
  } as const
}

/** One call of S3, measured, and ended with the attempt. */
function call<T>(
  ctx: JobContext,
  { bucket }: Aws,
  operation: string,
  send: (options: { abortSignal: AbortSignal }) => Promise<T>,
) {
  return ctx.measure.s3(operation, bucket, () => send({ abortSignal: ctx.signal }))
}

async function originalOf(
  ctx: JobContext,
  aws: Aws,
  id: string,
): Promise<{ bytes: number; read(): Promise<Buffer> }> {
  const get = new GetObjectCommand({ Bucket: aws.bucket, Key: originalKey(id) })
  try {
    const { Body, ContentLength = 0 } = await call(ctx, aws, 'GetObject', (options) =>
      aws.s3.send(get, options),
    )
    return { bytes: ContentLength, read: async () => Buffer.from((await Body?.transformToByteArray()) ?? []) }
  } catch (error) {
    if (isMissing(error)) throw new GiveUp('the original is gone')
    throw error
  }
}

/** An image that was deleted while its thumbnails were made must not come back through them. */
async function checkStillThere(ctx: JobContext, aws: Aws, id: string): Promise<void> {
  const head = new HeadObjectCommand({ Bucket: aws.bucket, Key: originalKey(id) })
  try {
    await call(ctx, aws, 'HeadObject', (options) => aws.s3.send(head, options))
  } catch (error) {
    if (!isMissing(error)) throw error
    await removeThumbnails(ctx, aws, id)
    throw new GiveUp('the image was deleted meanwhile')
  }
}

async function removeThumbnails(ctx: JobContext, aws: Aws, id: string): Promise<void> {
  for (const size of SIZES) await remove(ctx, aws, thumbnailKey(id, size))
}

async function remove(ctx: JobContext, aws: Aws, key: string): Promise<void> {
  const command = new DeleteObjectCommand({ Bucket: aws.bucket, Key: key })
  await call(ctx, aws, 'DeleteObject', (options) => aws.s3.send(command, options))
}

/** The reference is the job: asked twice, CloudFront does it once. */
async function forget(ctx: JobContext, { cloudFront, distribution }: Aws, id: string): Promise<void> {
  const InvalidationBatch = {
    CallerReference: `job-${ctx.jobId}`,
    Paths: { Quantity: 1, Items: [`/thumbnails/${id}/*`] },
  }
  const command = new CreateInvalidationCommand({ DistributionId: distribution, InvalidationBatch })
  await ctx.measure.cloudfront('CreateInvalidation', () =>
    cloudFront.send(command, { abortSignal: ctx.signal }),
  )
}

export const isMissing = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'NoSuchKey' || error.name === 'NotFound')

function giveUpOn(error: unknown): never {
  throw error instanceof BadImage ? new GiveUp(error.message) : error
}
