// All of it in one process: emulators, unless you name an SQS queue of yours in IMAGE_QUEUE_URL; Postgres, embedded unless DATABASE_URL
// names yours; the upload API; and a worker. Prints where the API listens.
const [port = '8081'] = process.argv.slice(2)
const { HOLDFAST_SCHEMA: schema, IMAGE_QUEUE_URL } = process.env

const emulators =
  IMAGE_QUEUE_URL === undefined ? await (await import('./emulators.js')).startEmulators() : undefined

// Only now: the clients of the SDK look at the environment when they are made.
const { holdfast } = await import('holdfast')
const { connectSqs } = await import('holdfast/sqs')
const { DEAD_LETTER_URL, QUEUE_URL } = await import('./aws.js')
const { uploadApi } = await import('./api.js')
const { queues, thumbnails } = await import('./jobs.js')

const app = await holdfast({
  jobs: [thumbnails],
  queues,
  migrate: true,
  ...(schema === undefined ? {} : { schema }),
})
const sqs = await connectSqs({
  queueUrl: QUEUE_URL,
  deadLetterUrl: DEAD_LETTER_URL,
  endpoint: process.env.AWS_ENDPOINT_URL_SQS,
})
await app.work({ trigger: sqs, concurrency: 4 })
const api = uploadApi(app)
console.log(`upload images to ${await api.listen({ port: Number(port), host: '127.0.0.1' })}/images`)

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    await api.close()
    await app.stop()
    console.log(JSON.stringify({ counts: sqs.counts(), invalidations: emulators?.cdn.invalidations() }))
    sqs.close()
    await emulators?.stop()
  })
}
