import { expect, it, vi } from 'vitest'
import { AWS_ENV, sqsEmulator } from '../support/sqs.js'
import { freshStore, postgresUrl } from '../support/world.js'
import { ended, moduleFolder, start } from './long-running.js'
import { holdfast } from './run-holdfast.js'

/** Processes, and a busy machine. */
vi.setConfig({ testTimeout: 180_000 })

it('worker --sqs runs what SQS tells it of, tells it of jobs and of those that failed, and says at the end what became of the messages', async () => {
  const sqs = await sqsEmulator()
  const store = await freshStore()
  await store.queues.create('q', { policy: { externalTrigger: 'sqs' } })
  const env = { ...AWS_ENV, AWS_ENDPOINT_URL_SQS: sqs.endpoint, HOLDFAST_SQS_NET_SECONDS: '3600' }
  const where = ['--url', postgresUrl(), '--schema', store.schema, '--sqs', sqs.queueUrl]
  const deadLetters = ['--sqs-dead-letter', sqs.deadLetterUrl]
  const run = start(['worker', 'jobs.mjs', ...where, ...deadLetters, '--queue', 'q'], moduleFolder(), env)
  await run.said(({ msg }) => msg === 'working')
  const { jobId } = await store.enqueue({ queue: 'q', kind: 'broken', maxRetries: 0 })
  expect(await run.said(ended)).toMatchObject({ job_id: jobId, outcome: 'failed' })
  await vi.waitFor(() => expect(sqs.bodies('jobs-dead').ready).toHaveLength(1), {
    timeout: 45_000,
    interval: 50,
  })
  run.child.kill('SIGTERM')
  expect(await run.end).toMatchObject({ code: 0, stderr: '' })
  expect(run.lines.at(-1)).toMatchObject({
    msg: 'messages of SQS',
    sent: 1,
    received: 1,
    claimed: 1,
    deleted: 1,
    deadLettered: 1,
    found: 0,
  })
})

it('worker refuses SQS together with a server, and a queue that is no address', async () => {
  const jobs = moduleFolder()
  const both = await holdfast(
    ['worker', 'jobs.mjs', '--server', 'http://127.0.0.1:1', '--sqs', 'http://q/1/jobs'],
    {
      cwd: jobs,
    },
  )
  expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('not a server') })
  const wrong = await holdfast(['worker', 'jobs.mjs', '--sqs', 'jobs'], { cwd: jobs })
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('--sqs must be') })
})
