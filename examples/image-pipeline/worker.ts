/** A worker: runs the jobs that SQS announces, prints a line for each attempt, and serves its metrics. */
import { holdfast } from 'holdfast'
import { listenMetrics, workerMetrics } from 'holdfast/metrics'
import { connectSqs } from 'holdfast/sqs'
import { stateWord } from 'holdfast/store'
import { connection } from '../support/database.js'
import { onStop } from '../support/lifetime.js'
import { connectAws } from './aws.js'
import { imageJobs } from './jobs.js'
import { imageLimits } from './limits.js'
import { countsOf } from './sqs-counts.js'

const { WORKER_NAME: name = 'worker', IMAGE_CONCURRENCY: concurrency = '2' } = process.env
const aws = connectAws()
const { thumbnails, deletion } = imageJobs({
  aws,
  limits: imageLimits(),
  begun: (what) => console.log(`${what} begins`),
})
const app = await holdfast({ ...connection(), jobs: [thumbnails, deletion], log: false })
// The example sends what is to be announced; a worker that also did could be killed in the middle of that.
const sqs = await connectSqs({ ...aws.sqs, send: false, fallbackPollMs: 5_000, waitSeconds: 1 })
const metrics = workerMetrics()
const { url } = await listenMetrics(metrics, { host: '127.0.0.1', port: 0, loopback: true })
console.log(`metrics at ${url}`)
await app.work({
  name,
  trigger: sqs,
  metrics,
  concurrency: Number(concurrency),
  onEnded: ({ jobId, kind, attempt, retry, state, ranMs, reason }) => {
    const status = state === null ? 'lost' : stateWord('pipeline', state, { attempted: true })
    const why = reason === null ? '' : `: ${reason}`
    console.log(
      `job ${jobId} ${kind} ${status}, attempt ${attempt}, retry ${retry}, ${Math.round(ranMs)} ms${why}`,
    )
  },
})
onStop(async () => {
  await app.stop()
  console.log(`sqs ${JSON.stringify(countsOf(sqs))}`)
  sqs.close()
})
