// A job has the same fields with the same values wherever it is read.
import { expect, it } from 'vitest'
import { job as jobSchema, listedJob } from '../../src/contract/jobs/job.js'
import { JOB_FIELDS, LISTED_JOB_FIELDS } from '../../src/domain/job-fields.js'
import { snake } from '../../src/json/case.js'
import type { Job } from '../../src/store/job-reads.js'
import { listening } from '../conformance/worlds.js'
import { pinnedStore, postgresUrl } from '../support/world.js'
import { holdfast } from './run-holdfast.js'

type Fields = Record<string, unknown>

/** On the wire: names in snake_case, times as text. */
function onTheWire(row: object): Fields {
  return Object.fromEntries(
    Object.entries(JSON.parse(JSON.stringify(row)) as Fields).map(([name, value]) => [snake(name), value]),
  )
}

async function world() {
  const store = await pinnedStore()
  const { jobId } = await store.enqueue({
    queue: 'mail',
    kind: 'welcome',
    input: { to: 'ada' },
    key: 'k',
    target: 't',
    subject: 's',
    labels: { team: 'blue' },
    createdBy: 'ann',
  })
  const [claimed] = await store.work.claim({ worker: 'w', queues: ['mail'], leaseMs: 60_000 })
  if (claimed === undefined) throw new Error('nothing was claimed')
  await store.work.report({ ...claimed, items: [{ id: 1 }], cursor: { page: 2 }, tokens: 7 })
  await store.work.finish([{ ...claimed, outcome: 'failed', error: new Error('no such mailbox') }])
  const { url, key } = await listening(store)
  const cli = async (...args: string[]) => JSON.parse((await holdfast([...args, '--json'])).stdout) as Fields
  const remote = async (...args: string[]) => {
    const env = { HOLDFAST_SERVER: url, HOLDFAST_KEY: key }
    return JSON.parse((await holdfast([...args, '--json'], { env })).stdout) as Fields
  }
  const http = async (path: string) => {
    const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } })
    return (await answer.json()) as Fields
  }
  return { store, jobId, cli, remote, http, flags: ['--url', postgresUrl(), '--schema', store.schema] }
}

it('6.18 a job as read by library, command line and HTTP has one vocabulary, field by field', async () => {
  const { store, jobId, cli, remote, http, flags } = await world()
  const library = await store.read.job(jobId)
  expect(Object.keys(library).sort()).toEqual([...JOB_FIELDS].sort())
  const { history, ...shown } = await cli('jobs', 'show', String(jobId), ...flags)
  const { history: alsoHistory, ...shownRemotely } = await remote('jobs', 'show', String(jobId))
  expect(onTheWire(shown)).toEqual(onTheWire(library))
  expect(onTheWire(shownRemotely)).toEqual(onTheWire(library))
  expect(await http(`/api/v1/jobs/${jobId}`)).toEqual(onTheWire(library))
  expect([history, alsoHistory]).toMatchObject([[{ attempt: 1 }], [{ attempt: 1 }]])
})

it('6.18 a job in a list has some of these fields, the same ones everywhere', async () => {
  const { store, cli, remote, http, flags } = await world()
  const { rows } = await store.list.jobs()
  const [library] = rows
  if (library === undefined) throw new Error('nothing is listed')
  expect(Object.keys(library).sort()).toEqual([...LISTED_JOB_FIELDS].sort())
  const wire = [onTheWire(library)]
  expect(((await cli('jobs', 'list', ...flags)).jobs as object[]).map(onTheWire)).toEqual(wire)
  expect(((await remote('jobs', 'list')).jobs as object[]).map(onTheWire)).toEqual(wire)
  expect((await http('/api/v1/jobs')).jobs).toEqual(wire)
})

it('6.18 the contract of HTTP and the types of the library are the same list', () => {
  expect(Object.keys(jobSchema.shape).sort()).toEqual(JOB_FIELDS.map(snake).sort())
  expect(Object.keys(listedJob.shape).sort()).toEqual(LISTED_JOB_FIELDS.map(snake).sort())
  const sameNames: [keyof Job] extends [(typeof JOB_FIELDS)[number]]
    ? [(typeof JOB_FIELDS)[number]] extends [keyof Job]
      ? true
      : false
    : false = true
  expect(sameNames).toBe(true)
})

it('6.18 the names of documents stand beside the job, in a view of their own', async () => {
  const { store, jobId } = await world()
  const [aliases] = await store.database.query<Fields>('select * from holdfast.jobs_aliases where id = $1', [
    jobId,
  ])
  const job = await store.read.job(jobId)
  expect(aliases).toMatchObject({
    work_kind: 'welcome',
    subreddit_id: 's',
    target_id: 't',
    attempts: 1,
    max_attempts: job.maxRetries + 1,
    retries: job.failures,
    retry_count: job.failures,
    locked_by: null,
    executed_at: job.visibleAt,
    next_retry_at: job.visibleAt,
    enqueued_by: 'ann',
    done_reason: null,
  })
  for (const name of Object.keys(aliases ?? {}).filter(
    (each) => !['id', 'queue_id', 'preset'].includes(each),
  ))
    expect(JOB_FIELDS.map(snake), name).not.toContain(name)
})
