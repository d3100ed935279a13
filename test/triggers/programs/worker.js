// A worker that runs what SQS tells it of, in a process of its own, so that it can be killed. Says what it has counted, as it goes.
import { defineJob, holdfast } from 'holdfast'
import { connectSqs } from 'holdfast/sqs'

const { url, schema, queue, leaseMs, slots, sqs: options } = JSON.parse(process.argv[2])
const say = (what) => process.stdout.write(`${JSON.stringify(what)}\n`)

const resize = defineJob({
  kind: 'resize',
  queue,
  async handler(ctx) {
    say({ begun: ctx.jobId })
    await new Promise((resolve) => setTimeout(resolve, 20))
    await ctx.commit((tx) =>
      tx.query(`insert into ${schema}.effect (job_id, attempt) values ($1, $2)`, [ctx.jobId, ctx.attempt]),
    )
  },
})

const app = await holdfast({ url, schema, jobs: [resize] })
const sqs = await connectSqs(options)
const working = await app.work({ trigger: sqs, concurrency: slots, leaseMs })
say({ counts: sqs.counts() })
const telling = setInterval(() => say({ counts: sqs.counts() }), 50)
process.once('SIGTERM', async () => {
  await working.drain()
  clearInterval(telling)
  say({ counts: sqs.counts(), stopped: true })
  await app.stop()
  sqs.close()
})
