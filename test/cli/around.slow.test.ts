import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Store } from 'holdfast/store'
import { describe, expect, it } from 'vitest'
import { freshStore, postgresUrl } from '../support/world.js'
import { emptyFolder, finished, holdfast, startHoldfast } from './run-holdfast.js'

const flagsOf = (store: Store) => ['--url', postgresUrl(), '--schema', store.schema]

async function json(args: string[], store: Store) {
  const { code, stdout, stderr } = await holdfast([...args, '--json', ...flagsOf(store)])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

describe('enqueue', () => {
  it('makes a job with all it was told', async () => {
    const store = await freshStore()
    const flags = ['--key', 'k1', '--target', 't1', '--priority', '30', '--max-retries', '2', '--delay', '60']
    const { jobs } = await json(['enqueue', 'mail', 'welcome', '{"to":"ada"}', ...flags], store)
    expect(jobs).toEqual([{ jobId: 1, deduplicated: false }])
    expect(await store.read.job(1)).toMatchObject({
      queue: 'mail',
      kind: 'welcome',
      input: { to: 'ada' },
      key: 'k1',
      target: 't1',
      priority: 30,
      maxRetries: 2,
      state: 'scheduled',
    })
    const again = await holdfast(['enqueue', 'mail', 'welcome', '--key', 'k1', ...flagsOf(store)])
    expect(again.stdout).toContain('has this key already')
  })

  it('reads the input from a file and from lines of stdin, all jobs or none', async () => {
    const store = await freshStore()
    const file = join(emptyFolder(), 'input.json')
    writeFileSync(file, '{"from":"file"}')
    await json(['enqueue', 'mail', 'welcome', `@${file}`], store)
    expect((await store.read.job(1)).input).toEqual({ from: 'file' })
    const send = (text: string) => {
      const child = startHoldfast(['enqueue', 'mail', 'k', '-', '--lines', ...flagsOf(store)])
      child.stdin?.end(text)
      return finished(child)
    }
    expect(await send('{"n":1}\n{"n":2}\n')).toMatchObject({ code: 0, stdout: '2 jobs enqueued, 2 to 3.\n' })
    expect(await send('{"n":1}\nnonsense\n')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('line 2'),
    })
    expect(await send('\n{"n":1}\n\nnonsense\n')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('line 4'),
    })
    const many = await send('{"n":1}\n'.repeat(10_001))
    expect(many).toMatchObject({ code: 1, stderr: expect.stringContaining('10001 lines are too many') })
    expect(many.stderr).toContain('`split -l 1000`')
    expect((await store.list.jobs()).rows).toHaveLength(3)
  })

  it('refuses what is not JSON as a wrong usage, and what the engine refuses with its path', async () => {
    const store = await freshStore()
    const text = await holdfast(['enqueue', 'mail', 'welcome', 'ada', ...flagsOf(store)])
    expect(text).toMatchObject({ code: 2, stderr: expect.stringContaining('is not JSON') })
    const name = await holdfast(['enqueue', 'no spaces', 'welcome', '--json', ...flagsOf(store)])
    expect(name.code).toBe(1)
    expect(JSON.parse(name.stderr)).toMatchObject({ code: 'invalid_input' })
  })
})

describe('queues', () => {
  it('list counts jobs; pause and resume are kept with who and why', async () => {
    const store = await freshStore()
    await store.enqueueMany([
      { queue: 'mail', kind: 'k' },
      { queue: 'mail', kind: 'k', delayMs: 60_000 },
    ])
    const flags = ['--reason', 'no mail today', '--actor', 'grace']
    expect(await json(['queues', 'pause', 'mail', ...flags], store)).toEqual({
      queue: 'mail',
      paused: true,
      changed: true,
    })
    expect(await json(['queues', 'pause', 'mail'], store)).toMatchObject({ changed: false })
    const { queues } = await json(['queues', 'list'], store)
    expect(queues).toMatchObject([
      { name: 'mail', queued: 1, delayed: 1, pausedBy: 'grace', pauseReason: 'no mail today' },
    ])
    const shown = await holdfast(['queues', 'list', ...flagsOf(store)])
    expect(shown.stdout).toMatch(
      /mail +default +1 +· +1 +· +· +paused\nmail was paused .* by grace: no mail today/,
    )
    expect(await json(['queues', 'resume', 'mail'], store)).toMatchObject({ paused: false, changed: true })
    expect((await store.queues.get('mail')).pausedAt).toBeNull()
    const unknown = await holdfast(['queues', 'pause', 'mial', ...flagsOf(store)])
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no queue "mial"') })
  })
})

describe('kinds and workers', () => {
  it('name the workers that are there, what they know, and the kinds nobody knows', async () => {
    const store = await freshStore()
    await store.enqueueMany([
      { queue: 'mail', kind: 'welcome' },
      { queue: 'mail', kind: 'unheard-of' },
    ])
    await store.work.heartbeat({
      worker: 'web-1',
      host: 'web',
      pid: 4711,
      version: '1.2.3',
      kinds: ['welcome'],
      queues: ['mail'],
      tenant: 'default',
      slots: 8,
      busy: 3,
      lagMs: 4,
      draining: false,
    })
    expect(await json(['kinds'], store)).toEqual({
      kinds: [
        { kind: 'unheard-of', workers: 0, jobs: 1, parked: 0, declared: null },
        { kind: 'welcome', workers: 1, jobs: 1, parked: 0, declared: null },
      ],
    })
    const shown = await holdfast(['workers', ...flagsOf(store)])
    expect(shown.stdout).toMatch(/web-1 +working +3\/8 +4 ms +\S.* +mail/)
    expect(await json(['workers', 'drain', 'web-1'], store)).toEqual({ worker: 'web-1', requested: true })
    expect((await json(['workers', 'list'], store)).workers).toMatchObject([
      { worker: 'web-1', pid: 4711, drainRequestedAt: expect.any(String) },
    ])
    expect(await holdfast(['workers', 'drain', 'nobody', ...flagsOf(store)])).toMatchObject({ code: 1 })
  })

  it('the catalogue is shown without a database', async () => {
    const { code, stdout } = await holdfast(['kinds', '--catalogue', '--json'], { cwd: emptyFolder() })
    expect(code).toBe(0)
    expect(JSON.parse(stdout).catalogue).toContainEqual({
      kind: 'send-email',
      durationMs: 60,
      outcome: 'success',
    })
  })
})

describe('config print', () => {
  it('S4.07 config print shows each value with its source, flags above the environment above the file, and no password', async () => {
    const cwd = emptyFolder()
    writeFileSync(join(cwd, 'holdfast.toml'), '[workers]\ndefault_count = 2\nmax_count = 4\n')
    const env = {
      DATABASE_URL: 'postgres://me:hunter2@host/db?password=hunter2',
      HOLDFAST_WORKERS_DEFAULT_COUNT: '3',
      HOLDFAST_SCHEMA: 'theirs',
    }
    const plain = await holdfast(['config', 'print', '--schema', 'mine'], { cwd, env })
    expect(plain.code).toBe(0)
    expect(plain.stdout).toMatch(/url +postgres:\/\/me:\*\*\*@host\/db\?password=\*\*\* +env DATABASE_URL/)
    expect(plain.stdout).toMatch(/schema +mine +flag --schema/)
    expect(plain.stdout).toMatch(/default_count +3 +env HOLDFAST_WORKERS_DEFAULT_COUNT/)
    expect(plain.stdout).toMatch(/max_count +4 +holdfast.toml/)
    const { stdout } = await holdfast(['config', 'print', '--json'], { cwd, env })
    expect(JSON.parse(stdout).config).toContainEqual({
      key: 'workers.poll_interval_ms',
      value: 250,
      origin: 'default.toml of holdfast',
      env: ['HOLDFAST_WORKERS_POLL_INTERVAL_MS'],
      of: expect.any(String),
    })
    expect(plain.stdout + stdout).not.toContain('hunter2')
  })

  it('S4.07 every command refuses an unknown key with exit code 78 and the nearest key', async () => {
    const cwd = emptyFolder()
    writeFileSync(join(cwd, 'holdfast.toml'), '[workers]\nmax_cont = 4\n')
    for (const args of [
      ['config', 'print'],
      ['jobs', 'list'],
      ['migrate', 'status'],
    ]) {
      const { code, stderr } = await holdfast([...args, '--json'], { cwd })
      expect(code).toBe(78)
      expect(JSON.parse(stderr)).toMatchObject({
        code: 'config_invalid',
        message: expect.stringContaining('Did you mean "workers.max_count"?'),
      })
    }
  })
})

describe('without a database', () => {
  it('a look says so with exit code 78, and leaves nothing behind', async () => {
    const cwd = emptyFolder()
    const { code, stdout, stderr } = await holdfast(['jobs', 'list'], { cwd })
    expect({ code, stdout }).toEqual({ code: 78, stdout: '' })
    expect(stderr).toContain('holdfast up')
    const again = await holdfast(['queues', 'list', '--json'], { cwd })
    expect(JSON.parse(again.stderr)).toMatchObject({ code: 'no_database' })
  })

  it('a schema that is not there is exit code 78 with the command that makes it', async () => {
    const { code, stderr } = await holdfast(['jobs', 'list', '--url', postgresUrl(), '--schema', 'not_there'])
    expect(code).toBe(78)
    expect(stderr).toContain('holdfast migrate up')
  })

  it('one that cannot be reached is exit code 69', async () => {
    const { code, stderr } = await holdfast(['jobs', 'list', '--url', 'postgres://me@127.0.0.1:1/db'])
    expect(code).toBe(69)
    expect(stderr).toContain('DATABASE_URL')
  })
})
