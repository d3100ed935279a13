// Jobs whose handlers measure the calls they make, run by `holdfast worker` in pipeline-metrics.slow.test.ts.
import { defineJob } from 'holdfast'

const call = async (url) => {
  const answer = await fetch(url, { method: 'POST', body: 'x' })
  if (!answer.ok)
    throw Object.assign(new Error('refused'), { name: 'ServiceRefused', code: `HTTP_${answer.status}` })
}

export const thumbnail = defineJob({
  kind: 'thumbnail',
  queue: 'images',
  maxRetries: 0,
  handler: async ({ measure }, { elsewhere, how }) => {
    const url = `${elsewhere}/${how}`
    await measure.s3('GetObject', 'photos', () => call(url)).catch(() => {})
    await measure.cloudfront('CreateInvalidation', call(url)).catch(() => {})
    await measure.db('insert_photo', () => call(url)).catch(() => {})
    await measure.external('notifier', 'notify', () => call(url)).catch(() => {})
    await measure.image(async () => {
      if (how === 'fail') throw Object.assign(new Error('not an image'), { name: 'BadImage' })
    })
  },
})

export const apart = defineJob({
  kind: 'apart',
  queue: 'images',
  isolate: 'thread',
  handler: new URL('./measured-apart.js', import.meta.url),
})

/** Ends when somebody answers. */
export const hold = defineJob({
  kind: 'hold',
  queue: 'images',
  handler: async (_ctx, { elsewhere }) => void (await fetch(`${elsewhere}/hold`)),
})
