/**
 * An upload API, object storage, thumbnails and a CDN: images come in over HTTP, wait in S3, are announced through SQS, and are done by
 * workers with sharp. Postgres knows what is to be done and what became of it; SQS only says when to look.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { holdfast } from 'holdfast'
import { connectSqs } from 'holdfast/sqs'
import { type ExampleDatabase, openDatabase } from '../support/database.js'
import type { ExampleOptions, RunningExample } from '../support/example.js'
import { opening } from '../support/opened.js'
import { Workers } from '../support/workers.js'
import { imageApi } from './api.js'
import { connectAws } from './aws.js'
import { startEmulators } from './emulators.js'
import { type ImageJobs, imageJobs, imageQueues } from './jobs.js'
import { imageLimits } from './limits.js'
import { countsOf } from './sqs-counts.js'
import { tour } from './tour.js'

/** The preset has 10 minutes and 30 seconds; with these you see sooner what becomes of the images of a killed worker, and of a busy CDN. */
const LEASE_MS = 10_000
const LEASE_MS_MIN = 3_000
const RETRY_MS = 2_000
const WORKERS = ['worker-1', 'worker-2']

export const start = (options: ExampleOptions): Promise<RunningExample> =>
  opening(async (opened) => {
    const { print, speed, out } = options
    const database = opened.add(await openDatabase('image-pipeline', options), (each) => each.stop())
    // Emulators, unless you name an SQS queue of yours.
    const emulators = process.env.IMAGE_QUEUE_URL === undefined ? await startEmulators() : undefined
    opened.add(emulators, (each) => each?.stop())
    const aws = connectAws()
    const limits = imageLimits()
    const jobs = imageJobs({ aws, limits })
    const app = opened.add(await appOn(database, jobs, speed), (each) => each.stop())
    const sqs = opened.add(await connectSqs(aws.sqs), (each) => each.close())
    const api = opened.add(imageApi({ app, aws, jobs, limits, sqs }), (each) => each.close())
    const url = await api.listen({ port: options.port, host: '127.0.0.1' })
    opened.add(await sqs.relay(app.store), async (relay) => {
      await relay.stop()
      print('sqs', JSON.stringify(countsOf(sqs)))
      if (emulators !== undefined)
        writeFileSync(join(out, 'invalidations.json'), JSON.stringify(emulators.cdn.invalidations(), null, 2))
    })
    const workers = opened.add(new Workers(options), (each) => each.stop())
    for (const name of WORKERS)
      workers.start({ name, program: new URL('./worker.js', import.meta.url), env: database.env })
    const { signal: stopping } = opened.add(new AbortController(), (each) => each.abort())
    const isTour = !options.args.includes('serve')
    return {
      url,
      kills: workers.kills,
      result: () =>
        isTour ? tour({ url, cdn: emulators?.cdn, limits, out, print, stopping }) : new Promise(() => {}),
      stop: () => opened.close(),
    }
  })

function appOn({ url, schema }: ExampleDatabase, { thumbnails, deletion }: ImageJobs, speed: number) {
  const queues = imageQueues({
    leaseMs: Math.max(LEASE_MS_MIN, Math.round(LEASE_MS / speed)),
    retryBaseMs: Math.round(RETRY_MS / speed),
  })
  return holdfast({ url, schema, migrate: true, jobs: [thumbnails, deletion], queues, log: false })
}
