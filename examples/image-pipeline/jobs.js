// What is done with an image: thumbnails beside it in the bucket, and the CDN forgets the old ones.
import { CreateInvalidationCommand } from '@aws-sdk/client-cloudfront'
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { defineJob, GiveUp } from 'holdfast'
import sharp from 'sharp'
import { z } from 'zod'
import { BUCKET, cloudFront, DISTRIBUTION, s3 } from './aws.js'

export const WIDTHS = [64, 320, 1024]
/** A small file can be a picture of gigabytes. */
const PIXELS_MOST = 50_000_000

export const thumbnails = defineJob({
  kind: 'thumbnails',
  queue: 'images',
  input: z.object({ image: z.string().regex(/^[a-z0-9-]{1,64}$/) }),
  key: ({ image }) => image,
  async handler(ctx, { image }) {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: BUCKET, Key: `originals/${image}` }), {
      abortSignal: ctx.signal,
    })
    const original = Buffer.from(await Body.transformToByteArray())
    const made = await thumbnailsOf(original)
    for (const { width, data } of made) {
      // The same name each time: a second attempt writes over what the first has left.
      const put = {
        Bucket: BUCKET,
        Key: `thumbnails/${image}/${width}.webp`,
        Body: data,
        ContentType: 'image/webp',
      }
      await s3.send(new PutObjectCommand(put), { abortSignal: ctx.signal })
    }
    await forget(image, ctx)
    return { thumbnails: made.map(({ width, height, data }) => ({ width, height, bytes: data.length })) }
  },
})

/** The presets of document 002, with SQS as the trigger. */
export const queues = { images: { preset: 'pipeline', externalTrigger: 'sqs' } }

async function thumbnailsOf(original) {
  try {
    return await Promise.all(
      WIDTHS.map(async (width) => {
        const image = sharp(original, { limitInputPixels: PIXELS_MOST, failOn: 'error' })
        const { data, info } = await image
          .rotate()
          .resize({ width, withoutEnlargement: true })
          .webp()
          .toBuffer({ resolveWithObject: true })
        return { width, height: info.height, data }
      }),
    )
  } catch (error) {
    // However often it is tried, the bytes stay what they are.
    throw new GiveUp(`not an image we can read: ${error.message}`)
  }
}

/** The reference is the attempt's job: asked twice, CloudFront does it once. */
async function forget(image, { jobId, signal }) {
  const InvalidationBatch = {
    CallerReference: `job-${jobId}`,
    Paths: { Quantity: 1, Items: [`/thumbnails/${image}/*`] },
  }
  await cloudFront.send(new CreateInvalidationCommand({ DistributionId: DISTRIBUTION, InvalidationBatch }), {
    abortSignal: signal,
  })
}
