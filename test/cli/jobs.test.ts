import type { Store } from 'holdfast/store'
import { describe, expect, it } from 'vitest'
import { freshStore, postgresUrl } from '../support/world.js'
import { finished, holdfast, startHoldfast } from './run-holdfast.js'

/** The command line on the schema of a store. */
function cli(store: Store) {
  const flags = ['--url', postgresUrl(), '--schema', store.schema]
  const run = (...args: string[]) => holdfast([...args, ...flags])
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(...args, '--json')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return JSON.parse(stdout)
  }
  return { run, json, flags }
}

async function claim(store: Store, queue: string, limit = 1) {
  const { lease } = await store.work.openLease('ada', 30_000)
  return store.work.claim({ worker: 'ada', lease, queues: [queue], limit })
}

async function fail(store: Store, queue: string, message = 'no such mailbox') {
  const [job] = await claim(store, queue)
  if (job === undefined) throw new Error('nothing to fail')
  await store.work.finish([{ ...job, outcome: 'failed', retryable: false, error: new Error(message) }])
  return job.jobId
}

describe('jobs list', () => {
  it('shows a page, says how to go on, and goes on', async () => {
    const store = await freshStore()
    await store.enqueueMany(Array.from({ length: 5 }, () => ({ queue: 'mail', kind: 'welcome' })))
    const { run, json } = cli(store)
    const { code, stdout, stderr } = await run('jobs', 'list', '--limit', '3')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/id +state +queue +kind/)
    expect(stdout).toMatch(/5 +queued +mail +welcome/)
    const cursor = /more: --after (\S+)/.exec(stdout)?.[1] ?? ''
    const page = await json('jobs', 'list', '--limit', '3', '--after', cursor)
    expect(page).toMatchObject({ jobs: [{ id: 2 }, { id: 1 }], next: null })
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  })

  it('narrows, and refuses a state or a queue that is not there with the nearest or a remedy', async () => {
    const store = await freshStore()
    await store.enqueue({ queue: 'mail', kind: 'welcome' })
    const failed = await fail(store, 'mail')
    const { run, json } = cli(store)
    expect((await json('jobs', 'list', '--state', 'failed', '--queue', 'mail')).jobs).toMatchObject([
      { id: failed, state: 'failed' },
    ])
    const state = await run('jobs', 'list', '--state', 'runing')
    expect(state).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean "running"?') })
    const queue = await run('jobs', 'list', '--queue', 'mial')
    expect(queue).toMatchObject({ code: 1, stderr: expect.stringContaining('holdfast queues list') })
  })
})

describe('jobs list --search', () => {
  it('finds jobs by the grammar of the dashboard, with the other flags as terms', async () => {
    const store = await freshStore()
    await store.enqueueMany([
      { queue: 'mail', kind: 'welcome', input: { user: { id: 42 } } },
      { queue: 'mail', kind: 'goodbye', input: { user: { id: 42 } } },
      { queue: 'other', kind: 'welcome', input: { user: { id: 43 } } },
    ])
    const { run, json } = cli(store)
    const found = await json('jobs', 'list', '--search', 'input.user.id:42', '--kind', 'welcome')
    expect(found).toMatchObject({ jobs: [{ id: 1 }], next: null, examined: { complete: true, jobs: 3 } })
    const { code, stdout } = await run('jobs', 'list', '--search', 'kind:wel*', '--limit', '1')
    expect(code).toBe(0)
    expect(stdout).toMatch(/3 +queued +other +welcome/)
    expect(stdout).toMatch(/more: --after \S+/)
  })

  it('marks the mistake', async () => {
    const store = await freshStore()
    const { code, stderr } = await cli(store).run('jobs', 'list', '--search', 'queue:mail stat:failed')
    expect(code).toBe(2)
    expect(stderr).toContain('There is no field "stat". Did you mean state?')
    expect(stderr).toContain('  queue:mail stat:failed\n             ^^^^\n')
  })
})

describe('a look at one job', () => {
  it('show tells what it is and each attempt', async () => {
    const store = await freshStore()
    await store.enqueue({ queue: 'mail', kind: 'welcome', input: { to: 'ada' }, key: 'k1' })
    const id = await fail(store, 'mail')
    const { run, json } = cli(store)
    const { stdout } = await run('jobs', 'show', `#${id}`)
    for (const word of ['failed', '{"to":"ada"}', 'k1', 'no such mailbox', 'ada'])
      expect(stdout).toContain(word)
    expect(await json('jobs', 'show', String(id))).toMatchObject({
      id,
      state: 'failed',
      history: [{ attempt: 1, outcome: 'failed' }],
    })
  })

  it('explain says what it waits for, and which commands it allows', async () => {
    const store = await freshStore()
    await store.queues.create('t', { preset: 'target' })
    const [first, second] = await store.enqueueMany([
      { queue: 't', kind: 'k', target: 'eu' },
      { queue: 't', kind: 'k', target: 'eu' },
    ])
    await fail(store, 't')
    const { run, json } = cli(store)
    const { stdout } = await run('jobs', 'explain', String(second?.jobId))
    expect(stdout).toContain(`Its target eu is held by job ${first?.jobId}, which is errored.`)
    expect(await json('jobs', 'explain', String(first?.jobId))).toMatchObject({
      state: 'errored',
      allowed: ['cancel', 'resume', 'skip', 'discard', 'boost', 'priority'],
    })
  })

  it('history tells the story in order', async () => {
    const store = await freshStore()
    await store.enqueue({ queue: 'mail', kind: 'welcome' })
    const id = await fail(store, 'mail')
    const { run, json } = cli(store)
    const { stdout } = await run('jobs', 'history', String(id))
    expect(stdout).toMatch(/enqueued[\s\S]*claimed[\s\S]*failed[\s\S]*no such mailbox/)
    expect(await json('jobs', 'history', String(id))).toMatchObject({ job_id: id, state: 'failed' })
  })

  it('a job that is not there is exit code 1 with a remedy, and what is no number is 2', async () => {
    const { run } = cli(await freshStore())
    for (const command of ['show', 'explain', 'history', 'retry', 'tail'])
      expect(await run('jobs', command, '999')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('999'),
      })
    expect(await run('jobs', 'show', 'abc')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('abc'),
    })
  })
})

describe('what is done to jobs', () => {
  it('retry, cancel, priority and boost change the job and keep who did it and why', async () => {
    const store = await freshStore()
    await store.enqueueMany([
      { queue: 'mail', kind: 'welcome' },
      { queue: 'mail', kind: 'welcome' },
    ])
    const failed = await fail(store, 'mail')
    const { json, run } = cli(store)
    const why = ['--reason', 'the bank is back', '--actor', 'grace']
    expect(await json('jobs', 'retry', String(failed), ...why)).toEqual({
      jobs: [{ jobId: failed, state: 'queued' }],
    })
    expect(await json('jobs', 'priority', '70', String(failed))).toEqual({
      jobs: [{ jobId: failed, priority: 70 }],
    })
    expect(await json('jobs', 'boost', String(failed), '--by', '20')).toEqual({
      jobs: [{ jobId: failed, priority: 90 }],
    })
    expect(await run('jobs', 'cancel', String(failed), '--if-state', 'running')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is queued, not running'),
    })
    expect(await json('jobs', 'cancel', String(failed), '--if-state', 'queued')).toEqual({
      jobs: [{ jobId: failed, result: 'canceled', state: 'canceled' }],
    })
    const events = await store.read.events(failed)
    expect(events[0]).toMatchObject({ type: 'retried', actor: 'grace', reason: 'the bank is back' })
    expect(events[1]?.actor).toMatch(/./)
  })

  it('S3.10 a blocked target is listed with cause and age, and goes on after resume, skip or cancel', async () => {
    const store = await freshStore()
    await store.queues.create('t', { preset: 'target' })
    const made = await store.enqueueMany(
      ['eu', 'us', 'ap'].flatMap((target) => [1, 2].map(() => ({ queue: 't', kind: 'k', target }))),
    )
    for (const _ of ['eu', 'us', 'ap']) await fail(store, 't', 'the disk is full')
    const { run, json } = cli(store)
    const { targets } = await json('targets')
    expect(targets).toHaveLength(3)
    for (const blocked of targets)
      expect(blocked).toMatchObject({ state: 'errored', lastError: 'the disk is full', behind: 1 })
    const shown = await run('targets', '--queue', 't')
    expect(shown.stdout).toMatch(/eu +t +1 +errored \(ERROR\) +[\d.]+ m?s +1 +the disk is full/)
    const [eu, , us, , ap] = made.map(({ jobId }) => String(jobId))
    await json('jobs', 'resume', eu as string)
    await json('jobs', 'skip', us as string)
    await json('jobs', 'cancel', ap as string)
    expect((await json('targets')).targets).toEqual([])
    expect((await run('targets')).stdout).toContain('No target is blocked.')
    expect((await store.read.job(Number(us) + 1)).state).toBe('queued')
  })

  it('goes on after a refusal, names it, and exits with its code', async () => {
    const store = await freshStore()
    const [one, two] = await store.enqueueMany([
      { queue: 'mail', kind: 'k' },
      { queue: 'mail', kind: 'k' },
    ])
    const { run } = cli(store)
    const ids = [one?.jobId, 999, two?.jobId].map(String)
    const { code, stdout, stderr } = await run('jobs', 'cancel', ...ids)
    expect(code).toBe(1)
    expect(stderr).toContain('1 of 3 jobs were refused')
    expect(stdout).toContain(`Job ${two?.jobId}  canceled`)
  })

  it('a command that does not fit the state is refused with the state and what to look at', async () => {
    const store = await freshStore()
    const { jobId } = await store.enqueue({ queue: 'mail', kind: 'k' })
    const { run } = cli(store)
    const { code, stderr } = await run('jobs', 'resume', String(jobId), '--json')
    expect(code).toBe(1)
    expect(JSON.parse(stderr)).toMatchObject({
      code: 'wrong_state',
      message: expect.stringContaining('queued'),
      remedy: expect.stringContaining('holdfast jobs explain'),
    })
  })
})

describe('jobs tail', () => {
  it('follows a job until it has ended, and its exit code says how', async () => {
    const store = await freshStore()
    const { jobId } = await store.enqueue({ queue: 'mail', kind: 'k' })
    const { flags } = cli(store)
    const child = startHoldfast(['jobs', 'tail', String(jobId), '--json', ...flags])
    const end = finished(child)
    await fail(store, 'mail')
    const { code, stdout, stderr } = await end
    const types = stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { type: string }).type)
    expect(types.at(-1)).toBe('attempt_ended')
    expect(code).toBe(1)
    expect(JSON.parse(stderr)).toMatchObject({ code: 'job_not_succeeded' })
  })

  it('tells what happens in a queue, and ends when it is interrupted', async () => {
    const store = await freshStore()
    await store.enqueue({ queue: 'mail', kind: 'k' })
    await store.enqueue({ queue: 'other', kind: 'k' })
    const { flags } = cli(store)
    const child = startHoldfast(['jobs', 'tail', '--queue', 'mail', '--all', ...flags])
    const end = finished(child)
    child.stdout?.once('data', () => child.kill('SIGINT'))
    await fail(store, 'mail')
    const { code, stdout } = await end
    expect(code).toBe(130)
    expect(stdout).toContain('mail')
    expect(stdout).not.toContain('other')
  })
})
