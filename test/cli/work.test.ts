import type { ChildProcess } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { openStore, type Store } from 'holdfast'
import { findEmbedded } from 'holdfast/embedded'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freshStore, postgresUrl } from '../support/world.js'
import { emptyFolder, finished, holdfast, startHoldfast } from './run-holdfast.js'

const LIBRARY = fileURLToPath(new URL('../../dist/index.js', import.meta.url))

/** A folder with a module of jobs: one that answers, one that runs until it is told to stop, one that fails. */
function moduleFolder(): string {
  const folder = emptyFolder()
  writeFileSync(
    join(folder, 'jobs.mjs'),
    `import { defineJob } from ${JSON.stringify(LIBRARY)}
     export const greet = defineJob({ kind: 'greet', queue: 'q', handler: async (ctx, input) => ({ hello: input.name }) })
     export default [
       greet,
       defineJob({ kind: 'endless', queue: 'q', handler: () => new Promise(() => {}) }),
       defineJob({ kind: 'broken', queue: 'q', maxRetries: 0, handler: () => { throw new Error('no such mailbox') } }),
       defineJob({ kind: 'patient', queue: 'accounts', handler: ({ signal }) => new Promise((_resolve, reject) => {
         signal.addEventListener('abort', () => reject(signal.reason))
       }) }),
     ]
     export const queues = { q: { retryBaseMs: 1234 }, accounts: { preset: 'target' } }`,
  )
  return folder
}

interface Line {
  readonly level: string
  readonly msg: string
  readonly [name: string]: unknown
}

/** A command that works until it is ended, with what it logs. */
function start(args: string[], cwd: string, env: Record<string, string> = {}) {
  const child: ChildProcess = startHoldfast([...args, '--json'], { cwd, env })
  const end = finished(child)
  let over = false
  void end.then(() => {
    over = true
  })
  onTestFinished(() => {
    if (!over) child.kill('SIGKILL')
  })
  const lines: Line[] = []
  const waiting = new Set<() => void>()
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (text) => {
    lines.push(JSON.parse(text) as Line)
    for (const look of waiting) look()
  })
  return {
    child,
    end,
    lines,
    /** Resolves with the first line that fits, also one that was said before. */
    said: (fits: (line: Line) => boolean) =>
      new Promise<Line>((resolve, reject) => {
        const look = () => {
          const found = lines.find(fits)
          if (found === undefined) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
        void end.then(({ stderr }) => reject(new Error(`it ended without saying so: ${stderr}`)))
      }),
  }
}

interface Grace {
  readonly setting?: number
  readonly flag?: string
  readonly env?: Record<string, string>
}

const flagsOf = (store: Store) => ['--url', postgresUrl(), '--schema', store.schema]
const working = ({ msg }: Line) => msg === 'working'
const ended = (line: Line) => line.msg === 'attempt ended'

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

  it('S3.12 ends with 0 on SIGTERM when everything it ran has ended', async () => {
    const store = await freshStore()
    const run = await startWorker(store)
    run.child.kill('SIGTERM')
    expect(await run.end).toMatchObject({ code: 0 })
    expect((await store.workers.list()).filter(({ alive }) => alive)).toEqual([])
  })

  it('S3.12 gives back what still runs on a second signal, uncharged, and says so by 143', async () => {
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
    'S3.12 when the grace is over that %s gives, what still runs is given back, or PAUSED where the preset says so',
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
      expect(await store.read.job(target)).toMatchObject({
        state: 'paused',
        reason: 'Job was interrupted by user',
      })
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
    expect(asked).toMatchObject({ code: 0, stdout: expect.stringContaining('ada is asked to drain') })
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

/** The database that `up` runs in a folder. */
async function storeIn(cwd: string): Promise<Store> {
  const found = await findEmbedded({ dir: join(cwd, '.holdfast', 'pg') })
  const store = await openStore({ url: found?.url ?? '', connections: 1 })
  onTestFinished(() => store.close())
  return store
}

describe('up and down', () => {
  it('starts a database with everything in it, shares it with a second terminal, and ends with `down`', async () => {
    const cwd = emptyFolder()
    const run = start(['up', '--demo'], cwd)
    expect(await run.said(({ msg }) => msg === 'up')).toMatchObject({
      database: expect.stringContaining('.holdfast'),
      kinds: expect.arrayContaining(['send-email']),
    })
    await run.said((line) => ended(line) && line.outcome === 'succeeded')
    await run.said((line) => ended(line) && line.outcome === 'failed')

    const list = await holdfast(['jobs', 'list', '--json'], { cwd })
    expect(list.code).toBe(0)
    expect(JSON.parse(list.stdout).jobs.length).toBeGreaterThan(0)
    const made = await holdfast(['enqueue', 'catalogue', 'send-email', '{"to":"ada"}', '--json'], { cwd })
    const [{ jobId }] = JSON.parse(made.stdout).jobs
    expect(await holdfast(['jobs', 'tail', String(jobId)], { cwd })).toMatchObject({ code: 0 })

    const second = await holdfast(['up', '--json'], { cwd })
    expect(second.code).toBe(1)
    expect(JSON.parse(second.stderr)).toMatchObject({
      code: 'already_up',
      remedy: expect.stringContaining('holdfast down'),
    })
    const down = await holdfast(['down'], { cwd })
    expect(down).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`Stopped process ${run.child.pid}`),
    })
    expect(await run.end).toMatchObject({ code: 0 })
    expect(await holdfast(['down'], { cwd })).toMatchObject({ code: 0, stdout: 'Nothing is up here.\n' })
  })

  it('S4.08 killed under load and started again, it loses no job, and those that were assigned come back', async () => {
    const cwd = moduleFolder()
    const args = ['up', 'jobs.mjs', '--lease', '2', '--min', '4']
    const first = start(args, cwd)
    await first.said(({ msg }) => msg === 'up')
    const before = await storeIn(cwd)
    const { jobId } = await before.enqueue({ queue: 'q', kind: 'endless' })
    await expect.poll(async () => (await before.read.job(jobId)).attempt).toBe(1)
    const made = await before.enqueueMany(
      Array.from({ length: 200 }, (_, name) => ({ queue: 'q', kind: 'greet', input: { name } })),
    )
    first.child.kill('SIGKILL')
    await first.end

    const second = start(args, cwd)
    await second.said(({ msg }) => msg === 'up')
    const after = await storeIn(cwd)
    const done = async () => (await after.list.jobs({ state: 'succeeded', limit: 500 })).rows.length
    await expect.poll(done, { timeout: 20_000 }).toBe(made.length)
    await expect.poll(async () => (await after.read.job(jobId)).attempt, { timeout: 20_000 }).toBe(2)
    expect(await after.read.job(jobId)).toMatchObject({ failures: 0, losses: 1 })
    expect(await after.read.violations()).toEqual([])
    expect(await holdfast(['down', '--now'], { cwd })).toMatchObject({ code: 0 })
  })

  it('without a module keeps the database up, and stops a server that a killed one left behind', async () => {
    const cwd = emptyFolder()
    const run = start(['up'], cwd)
    await run.said(({ msg }) => msg === 'up')
    expect(await holdfast(['queues', 'list'], { cwd })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('No queues yet'),
    })
    run.child.kill('SIGKILL')
    await run.end
    expect(await holdfast(['down'], { cwd })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('left running'),
    })
  })

  it('says 78 when it cannot write where its data should be', async () => {
    const cwd = emptyFolder()
    writeFileSync(join(cwd, 'file'), '')
    const answer = await holdfast(['up', '--json'], { cwd, env: { HOLDFAST_FOLDER: 'file/folder' } })
    expect(answer.code).toBe(78)
    expect(JSON.parse(answer.stderr)).toMatchObject({
      code: 'folder_not_writable',
      remedy: expect.stringContaining('HOLDFAST_FOLDER'),
    })
  })
})
