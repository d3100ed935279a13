import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Store } from 'holdfast/store'
import { describe, expect, it } from 'vitest'
import { ended, type Line, moduleFolder, start } from '../support/cli/long-running.js'
import { freshStore, postgresUrl } from '../support/world.js'
import { holdfast } from './run-holdfast.js'

interface Grace {
  readonly setting?: number
  readonly flag?: string
  readonly env?: Record<string, string>
}

const flagsOf = (store: Store) => ['--url', postgresUrl(), '--schema', store.schema]
const working = ({ msg }: Line) => msg === 'working'

async function startWorker(store: Store, ...args: string[]) {
  const run = start(['worker', 'jobs.mjs', ...flagsOf(store), ...args], moduleFolder())
  await run.said(working)
  return run
}

describe('worker', () => {
  it('runs the jobs of a module, declares its queues, and logs one line an attempt without what is in a job', async () => {
    const store = await freshStore()
    const { jobId } = await store.enqueue({ queue: 'q', kind: 'greet', input: { name: 'Ada' } })
    const run = await startWorker(store)
    expect(await run.said(ended)).toMatchObject({
      job_id: jobId,
      kind: 'greet',
      attempt: 1,
      outcome: 'succeeded',
      duration_ms: expect.any(Number),
    })
    expect(await store.read.job(jobId)).toMatchObject({ state: 'succeeded', result: { hello: 'Ada' } })
    expect((await store.queues.get('q')).retryBaseMs).toBe(1234)
    expect(JSON.stringify(run.lines)).not.toContain('Ada')
    run.child.kill('SIGTERM')
    await run.end
  })

  it('S3.12 a worker exits with 0 on SIGTERM if all its jobs have ended', async () => {
    const store = await freshStore()
    const run = await startWorker(store)
    run.child.kill('SIGTERM')
    expect(await run.end).toMatchObject({ code: 0 })
    expect((await store.workers.list()).filter(({ alive }) => alive)).toEqual([])
  })

  it('S3.12 on a second signal a worker releases running jobs without counting an attempt, and exits with 143', async () => {
    const store = await freshStore()
    const { jobId } = await store.enqueue({ queue: 'q', kind: 'endless' })
    const run = await startWorker(store)
    await expect.poll(async () => (await store.read.job(jobId)).leaseOwner).not.toBeNull()
    run.child.kill('SIGTERM')
    await run.said(({ msg }) => msg.startsWith('stopping'))
    run.child.kill('SIGTERM')
    expect(await run.end).toMatchObject({ code: 143 })
    expect(await store.read.job(jobId)).toMatchObject({ state: 'queued', failures: 0 })
  })

  it.each([
    ['the setting in the database', { setting: 1 }],
    ['the environment, over the database', { setting: 500, env: { SHUTDOWN_GRACE_PERIOD_SECONDS: '1' } }],
    ['a flag, over the environment', { flag: '1', env: { SHUTDOWN_GRACE_PERIOD_SECONDS: '500' } }],
  ] as [from: string, given: Grace][])(
    'S3.12 after the grace period of %s, running jobs are released, or PAUSED if the preset requires it',
    async (_from, { setting, flag, env = {} }) => {
      const store = await freshStore()
      if (setting !== undefined) await store.settings.set('SHUTDOWN_GRACE_PERIOD_SECONDS', setting)
      const args = ['worker', 'jobs.mjs', ...flagsOf(store), ...(flag === undefined ? [] : ['--grace', flag])]
      const run = start(args, moduleFolder(), env)
      await run.said(working)
      const { jobId: plain } = await store.enqueue({ queue: 'q', kind: 'endless' })
      const { jobId: target } = await store.enqueue({ queue: 'accounts', kind: 'patient', target: 'a' })
      for (const id of [plain, target])
        await expect.poll(async () => (await store.read.job(id)).leaseOwner).not.toBeNull()
      run.child.kill('SIGTERM')
      expect(await run.said(({ msg }) => msg.startsWith('stopping'))).toMatchObject({ grace_s: 1 })
      const { jobId: late } = await store.enqueue({ queue: 'q', kind: 'greet', input: { name: 'late' } })
      expect(await run.end).toMatchObject({ code: 143 })
      expect(await store.read.job(plain)).toMatchObject({ state: 'queued', failures: 0 })
      expect(await store.read.job(target)).toMatchObject({ state: 'paused', reason: 'shutdown' })
      expect(await store.read.job(late), 'no more jobs are taken').toMatchObject({
        state: 'queued',
        attempt: 0,
      })
    },
  )

  it('ends with 130 on Ctrl-C', async () => {
    const run = await startWorker(await freshStore())
    run.child.kill('SIGINT')
    expect(await run.end).toMatchObject({ code: 130 })
  })

  it('goes home when somebody asks it to drain, with exit code 0', async () => {
    const store = await freshStore()
    const run = await startWorker(store, '--name', 'ada')
    await expect.poll(async () => (await store.workers.list()).map(({ worker }) => worker)).toEqual(['ada'])
    const asked = await holdfast(['workers', 'drain', 'ada', ...flagsOf(store)])
    expect(asked).toMatchObject({ code: 0, stdout: expect.stringContaining('ada will drain') })
    expect(await run.end).toMatchObject({ code: 0 })
  })

  it('works in several processes, and all of them end together', async () => {
    const store = await freshStore()
    const run = await startWorker(store, '--processes', '2')
    const pids = async () => (await store.workers.list()).filter(({ alive }) => alive).map(({ pid }) => pid)
    await expect.poll(async () => (await pids()).length).toBe(2)
    expect(await pids()).not.toContain(run.child.pid)
    run.child.kill('SIGTERM')
    expect(await run.end).toMatchObject({ code: 0 })
    expect(await pids()).toEqual([])
  })

  it('goes home in several processes as well, one by one, and ends when the last one has gone', {
    timeout: 120_000,
  }, async () => {
    const store = await freshStore()
    const run = await startWorker(store, '--processes', '2', '--name', 'ada')
    const names = async () => (await store.workers.list()).map(({ worker }) => worker)
    await expect.poll(names).toEqual(['ada.1', 'ada.2'])
    await holdfast(['workers', 'drain', 'ada.1', ...flagsOf(store)])
    await expect.poll(names).toEqual(['ada.2'])
    const { jobId } = await store.enqueue({ queue: 'q', kind: 'greet', input: { name: 'Ada' } })
    await expect.poll(async () => (await store.read.job(jobId)).state).toBe('succeeded')
    await holdfast(['workers', 'drain', 'ada.2', ...flagsOf(store)])
    expect(await run.end).toMatchObject({ code: 0 })
  })

  it.each([
    ['a module that is not there', ['nowhere.mjs'], 2, 'nowhere.mjs'],
    ['a module without a job', ['empty.mjs'], 78, 'exports no job'],
    ['a module that throws', ['throws.mjs'], 78, 'out of tea'],
    ['TypeScript that this Node does not run', ['jobs.ts'], 78, 'compile it first'],
    [
      'sizes that contradict each other',
      ['jobs.mjs', '--concurrency', '3', '--min', '1'],
      2,
      '--concurrency',
    ],
    ['a size that is none', ['jobs.mjs', '--max', 'many'], 2, '--max'],
  ])('refuses %s, with what to do', async (_title, args, code, words) => {
    const cwd = moduleFolder()
    writeFileSync(join(cwd, 'empty.mjs'), 'export const nothing = 1')
    writeFileSync(join(cwd, 'throws.mjs'), 'throw new Error("out of tea")')
    writeFileSync(join(cwd, 'jobs.ts'), 'export const job: number = 1')
    const answer = await holdfast(['worker', ...args, '--url', postgresUrl()], { cwd })
    expect(answer.code).toBe(code)
    expect(answer.stderr).toContain(words)
  })

  it('waits for a database as long as it is told, and then says 69', async () => {
    const answer = await holdfast(['worker', 'jobs.mjs', '--url', 'postgres://me@127.0.0.1:1/db'], {
      cwd: moduleFolder(),
      env: { HOLDFAST_DATABASE_WAIT_SECONDS: '1' },
    })
    expect(answer).toMatchObject({ code: 69, stderr: expect.stringContaining('DATABASE_URL') })
  })
})
