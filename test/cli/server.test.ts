// The server and its keys from the command line.
import type { ChildProcess } from 'node:child_process'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import type { Store } from 'holdfast'
import { expect, it, onTestFinished } from 'vitest'
import { freshStore, postgresUrl } from '../support/world.js'
import { emptyFolder, finished, holdfast, startHoldfast } from './run-holdfast.js'

const flagsOf = (store: Store) => ['--url', postgresUrl(), '--schema', store.schema]

/** Resolves with the line of the log that has this message. */
function logged(child: ChildProcess, message: string): Promise<Record<string, unknown>> {
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })
  return new Promise((resolve, reject) => {
    lines.on('line', (line) => {
      const said = JSON.parse(line) as Record<string, unknown>
      if (said.msg === message) resolve(said)
    })
    lines.on('close', () => reject(new Error(`it ended without saying "${message}"`)))
  })
}

function start(args: string[], options = {}): ChildProcess {
  const child = startHoldfast(args, options)
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  return child
}

it('server answers until SIGTERM and then ends well; a key made meanwhile closes it to others', async () => {
  const store = await freshStore()
  const child = start(['server', '--json', ...flagsOf(store)])
  const ended = finished(child)
  const { url } = await logged(child, 'serving')
  const jobs = (key?: string) =>
    fetch(`${url}/api/v1/jobs`, key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } })
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
  expect((await jobs()).status).toBe(200)
  const made = await holdfast(['keys', 'create', 'ci', '--scope', 'read', ...flagsOf(store)])
  expect(made).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^hf_[\w-]{43}\n$/),
    stderr: expect.stringContaining('Key 1'),
  })
  expect((await jobs(made.stdout.trim())).status).toBe(200)
  await expect.poll(async () => (await jobs()).status).toBe(401)
  child.kill('SIGTERM')
  expect(await ended).toMatchObject({ code: 0 })
})

it('a server that others could reach does not start without a key, and says how to make one', async () => {
  const store = await freshStore()
  const serve = (env = {}) => holdfast(['server', '--host', '0.0.0.0', '--json', ...flagsOf(store)], { env })
  const refused = await serve()
  expect(refused.code).toBe(78)
  expect(JSON.parse(refused.stderr)).toMatchObject({
    code: 'no_key',
    remedy: expect.stringContaining('holdfast keys create'),
  })
  const weak = await serve({ HOLDFAST_ADMIN_KEY: 'hunter2' })
  expect(weak.code).toBe(78)
  expect(weak.stderr).not.toContain('hunter2')
  const child = start(['server', '--host', '0.0.0.0', '--json', ...flagsOf(store)], {
    env: { HOLDFAST_ADMIN_KEY: 'a-long-secret-of-the-operator' },
  })
  const { url } = await logged(child, 'serving')
  expect((await fetch(`${url}/api/v1/jobs`)).status).toBe(401)
  const headers = { authorization: 'Bearer a-long-secret-of-the-operator' }
  expect((await fetch(`${url}/api/v1/jobs`, { headers })).status).toBe(200)
})

it('a port that is taken is said, with what to do', async () => {
  const store = await freshStore()
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void other.close())
  const { port } = other.address() as { port: number }
  for (const args of [['server'], ['up']]) {
    const { code, stderr } = await holdfast([...args, '--port', String(port), '--json', ...flagsOf(store)], {
      cwd: emptyFolder(),
    })
    expect(code).toBe(78)
    expect(JSON.parse(stderr)).toMatchObject({
      code: 'port_taken',
      message: `Port ${port} is taken by another program.`,
      remedy: expect.stringContaining('--port'),
    })
  }
})

it('up serves the same API and says where', async () => {
  const store = await freshStore()
  const child = start(['up', '--json', ...flagsOf(store)], { cwd: emptyFolder() })
  const ended = finished(child)
  const { server } = await logged(child, 'up')
  const answer = await fetch(`${server}/api/v1/jobs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ queue: 'mail', kind: 'welcome' }),
  })
  expect([answer.status, await answer.json()]).toEqual([201, { id: 1, deduplicated: false }])
  expect(await store.read.job(1)).toMatchObject({ queue: 'mail', state: 'queued' })
  child.kill('SIGTERM')
  expect((await ended).code).toBe(0)
})

it('keys are made with scopes, listed without their secrets, rotated and revoked', async () => {
  const store = await freshStore()
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await holdfast(['keys', ...args, '--json', ...flagsOf(store)])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return JSON.parse(stdout)
  }
  const made = await json(
    'create',
    'web',
    '--scope',
    'enqueue',
    'read',
    '--tenant',
    'acme',
    '--days',
    '30',
    '--rate',
    '50',
  )
  expect(await store.keys.authenticate(made.secret)).toMatchObject({
    tenant: 'acme',
    scopes: ['enqueue', 'read'],
    rateLimit: 50,
    state: 'live',
  })
  await json('create', 'root', '--scope', 'admin', '--every-tenant')
  const rotated = await json('rotate', '1', '--overlap', '0')
  expect(await store.keys.authenticate(made.secret)).toMatchObject({ state: 'expired' })
  expect(await json('revoke', String(rotated.id), '--reason', 'left')).toEqual({ id: 3, revoked: true })
  const { keys } = await json('list')
  expect(keys).toMatchObject([
    { id: 3, state: 'revoked', revokeReason: 'left' },
    { id: 2, tenant: '*' },
    { id: 1, state: 'expired' },
  ])
  expect(JSON.stringify(keys)).not.toContain(made.secret)
  const wrong = await holdfast(['keys', 'create', 'x', '--scope', 'fly', ...flagsOf(store)])
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no scope "fly"') })
})
