import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { Counts } from '../../src/triggers/sqs/counts.js'
import { ended, moduleFolder, start } from '../support/cli/long-running.js'
import { readExposition, samplesOf } from '../support/exposition.js'
import { AWS_ENV, sqsEmulator } from '../support/sqs.js'
import { freshStore, postgresUrl } from '../support/world.js'
import { holdfast } from './run-holdfast.js'

/** Processes, and a busy machine. */
vi.setConfig({ testTimeout: 180_000 })
const WAIT = { timeout: 100_000, interval: 50 }

/** What the metrics of a process say of its messages. */
async function counted(url: string): Promise<Record<string, number>> {
  const families = readExposition(await (await fetch(url)).text())
  const samples = samplesOf(families, 'holdfast_sqs_messages_total', { trigger: 'sqs' })
  return Object.fromEntries(samples.map(({ labels, value }) => [labels.reason ?? '', value]))
}

it('worker --sqs runs what SQS tells it of, tells it of jobs and of those that failed, and says at the end what became of the messages', async () => {
  const sqs = await sqsEmulator()
  const store = await freshStore()
  await store.queues.create('q', { policy: { externalTrigger: 'sqs' } })
  const env = { ...AWS_ENV, AWS_ENDPOINT_URL_SQS: sqs.endpoint, HOLDFAST_SQS_FALLBACK_POLL_SECONDS: '3600' }
  const where = ['--url', postgresUrl(), '--schema', store.schema, '--sqs', sqs.queueUrl]
  const deadLetters = ['--sqs-dead-letter', sqs.deadLetterUrl]
  const metrics = ['--metrics-port', '0']
  const args = ['worker', 'jobs.mjs', ...where, ...deadLetters, '--queue', 'q', ...metrics]
  const run = start(args, moduleFolder(), env)
  const { url } = (await run.said(({ msg }) => msg === 'metrics')) as unknown as { url: string }
  await run.said(({ msg }) => msg === 'working')
  const { jobId } = await store.enqueue({ queue: 'q', kind: 'broken', maxRetries: 0 })
  expect(await run.said(ended)).toMatchObject({ job_id: jobId, outcome: 'failed' })
  await vi.waitFor(() => expect(sqs.bodies('jobs-dead').ready).toHaveLength(1), WAIT)
  await vi.waitFor(
    async () => expect(await counted(url)).toMatchObject({ deadLettered: 1, deleted: 1 }),
    WAIT,
  )
  const told = await counted(url)
  expect(told).toMatchObject({ sent: 1, received: 1, claimed: 1, late: 0 })
  expect(Object.keys(told).sort()).toEqual(Object.keys(new Counts().read()).sort())
  run.child.kill('SIGTERM')
  expect(await run.end).toMatchObject({ code: 0, stderr: '' })
  expect(run.lines.at(-1)).toMatchObject({
    msg: 'messages of SQS',
    sent: 1,
    received: 1,
    claimed: 1,
    deleted: 1,
    deadLettered: 1,
    polled: 0,
  })
})

it('up does what worker --sqs does, as the configuration says or flags', async () => {
  const sqs = await sqsEmulator()
  const store = await freshStore()
  await store.queues.create('q', { policy: { externalTrigger: 'sqs' } })
  const cwd = moduleFolder()
  writeFileSync(
    join(cwd, 'holdfast.toml'),
    `[sqs]\nqueue_url = "${sqs.queueUrl}"\nendpoint = "${sqs.endpoint}"\nfallback_poll_seconds = 3600\nreconcile_seconds = 3600\n`,
  )
  await sqs.send(sqs.deadLetterUrl, JSON.stringify({ job_id: 999_999 }))
  const where = ['--url', postgresUrl(), '--schema', store.schema, '--port', '0']
  const run = start(['up', 'jobs.mjs', ...where, '--sqs-dead-letter', sqs.deadLetterUrl], cwd, AWS_ENV)
  await run.said(({ msg }) => msg === 'up')
  // It compares dead letters with jobs, too: there is no such job.
  await vi.waitFor(() => expect(sqs.bodies('jobs-dead')).toEqual({ ready: [], inFlight: [] }), WAIT)
  const { jobId } = await store.enqueue({ queue: 'q', kind: 'greet', input: { name: 'ada' } })
  expect(await run.said(ended)).toMatchObject({ job_id: jobId, outcome: 'succeeded' })
  run.child.kill('SIGTERM')
  expect(await run.end).toMatchObject({ code: 0, stderr: '' })
  expect(run.lines.find(({ msg }) => msg === 'messages of SQS')).toMatchObject({
    sent: 1,
    received: 1,
    claimed: 1,
    deleted: 1,
    polled: 0,
    cleared: 1,
  })
})

it('sqs relay tells what it sent, also as metrics while it does', async () => {
  const sqs = await sqsEmulator()
  const store = await freshStore()
  await store.queues.create('q', { policy: { externalTrigger: 'sqs' } })
  const env = { ...AWS_ENV, AWS_ENDPOINT_URL_SQS: sqs.endpoint }
  const where = ['--url', postgresUrl(), '--schema', store.schema, '--sqs', sqs.queueUrl]
  const run = start(['sqs', 'relay', ...where, '--metrics-port', '0'], moduleFolder(), env)
  const { url } = (await run.said(({ msg }) => msg === 'metrics')) as unknown as { url: string }
  await store.enqueue({ queue: 'q', kind: 'greet' })
  await vi.waitFor(async () => expect(await counted(url)).toMatchObject({ sent: 1 }), WAIT)
  const families = readExposition(await (await fetch(url)).text())
  expect(samplesOf(families, 'db_query_duration_seconds').length).toBeGreaterThan(0)
  run.child.kill('SIGTERM')
  expect(await run.end).toMatchObject({ code: 0, stderr: '' })
  expect(run.lines.at(-1)).toMatchObject({ msg: 'messages of SQS', sent: 1, received: 0 })
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
