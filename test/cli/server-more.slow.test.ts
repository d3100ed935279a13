// More of the command line through a server: what happens, which kinds there are, settings, keys; and a cancel that reaches a worker elsewhere.
import { expect, it } from 'vitest'
import { listening } from '../conformance/worlds.js'
import { moduleFolder, start } from '../support/cli/long-running.js'
import { bearer, serve } from '../support/http.js'
import { freshStore, pinnedStore, type World } from '../support/world.js'
import { until } from '../worker/world.js'
import { holdfast } from './run-holdfast.js'

const ADMIN = 'an-admin-key-of-the-test'

async function commands(store: World) {
  const { url } = await serve(store, { adminKey: ADMIN })
  return async (...args: string[]) => {
    const env = { HOLDFAST_SERVER: url, HOLDFAST_KEY: ADMIN }
    const { code, stdout, stderr } = await holdfast([...args, '--json'], { env })
    const lines = stdout.split('\n').filter((line) => line !== '')
    return { code, lines: lines.map((line) => JSON.parse(line)), complaint: JSON.parse(stderr || 'null') }
  }
}

it('jobs tail tells through a server what has happened, of one job until it has ended', async () => {
  const store = await pinnedStore()
  const run = await commands(store)
  const { jobId } = await store.enqueue({ queue: 'mail', kind: 'welcome' })
  const { jobId: other } = await store.enqueue({ queue: 'other', kind: 'k' })
  await store.commands.cancel(jobId, { actor: 'ada' })
  const one = await run('jobs', 'tail', String(jobId))
  expect(one.complaint).toMatchObject({ code: 'job_not_succeeded' })
  expect(one.lines).toMatchObject([
    { type: 'enqueued', jobIds: [jobId] },
    { type: 'canceled', jobIds: [jobId], actor: 'ada' },
  ])
  const { lines } = await run('jobs', 'tail', '--all', '--no-follow', '--queue', 'other')
  expect(lines.map(({ type, jobIds }) => [type, jobIds])).toEqual([
    ['queue_created', []],
    ['enqueued', [other]],
  ])
})

it('kinds and settings are seen, and settings changed, through a server', async () => {
  const store = await pinnedStore()
  const run = await commands(store)
  await store.enqueue({ queue: 'mail', kind: 'welcome' })
  expect((await run('kinds')).lines).toEqual([
    { kinds: [{ kind: 'welcome', workers: 0, jobs: 1, parked: 0, declared: null }] },
  ])
  expect((await run('settings', 'set', 'AGE_STEP', '7', '--reason', 'a try')).lines).toEqual([
    { name: 'AGE_STEP', value: 7 },
  ])
  expect(await store.settings.get('AGE_STEP')).toBe(7)
  const [{ settings }] = (await run('settings', 'list')).lines
  expect(settings.find(({ name }: { name: string }) => name === 'AGE_STEP')).toMatchObject({
    value: 7,
    from: 'set by admin',
  })
  expect((await run('settings', 'reset', 'AGE_STEP')).lines).toMatchObject([{ name: 'AGE_STEP' }])
  expect(await run('settings', 'get', 'AGE_STEPP')).toMatchObject({
    code: 1,
    complaint: { code: 'unknown_setting' },
  })
})

it('keys are made, listed, rotated and revoked through a server, each with who asked for it', async () => {
  const store = await pinnedStore()
  const run = await commands(store)
  // The clock of this database stands in 2030.
  const terms = ['--tenant', 'acme', '--days', '36500', '--rate', '5']
  const [made] = (await run('keys', 'create', 'web', '--scope', 'enqueue', 'read', ...terms)).lines
  expect(await store.keys.authenticate(made.secret)).toMatchObject({
    ...{ id: made.id, name: 'web', tenant: 'acme', scopes: ['enqueue', 'read'] },
    ...{ rateLimit: 5, state: 'live', expiresAt: expect.any(Date) },
  })
  const [wide] = (await run('keys', 'create', 'root', '--scope', 'admin', '--every-tenant')).lines
  const [{ keys }] = (await run('keys', 'list', '--tenant', 'acme')).lines
  expect(keys).toMatchObject([{ id: made.id, name: 'web', state: 'live', createdBy: 'admin' }])
  const [all] = (await run('keys')).lines
  expect(all.keys.map(({ tenant }: { tenant: string }) => tenant)).toEqual(['*', 'acme'])
  const id = String(made.id)
  const [fresh] = (await run('keys', 'rotate', id, '--overlap', '0')).lines
  expect(await store.keys.authenticate(made.secret)).toMatchObject({ state: 'expired' })
  expect(await store.keys.authenticate(fresh.secret)).toMatchObject({ id: fresh.id, state: 'live' })
  const revoke = () => run('keys', 'revoke', String(wide.id), '--reason', 'it was in a log')
  expect((await revoke()).lines).toEqual([{ id: wide.id, revoked: true }])
  expect((await revoke()).lines).toEqual([{ id: wide.id, revoked: false }])
  expect(await store.keys.get(wide.id)).toMatchObject({
    revokedBy: 'admin',
    revokeReason: 'it was in a log',
  })
  expect(await run('keys', 'revoke', '999')).toMatchObject({ code: 1, complaint: { code: 'unknown_key' } })
})

it('a cancel over HTTP reaches the handler of a job in a worker process that knows only the server', async () => {
  const store = (await freshStore()) as World
  const { url, key } = await listening(store)
  // Heartbeats come often, and with one of them the word that somebody wants it stopped.
  await store.queues.create('accounts', { policy: { leaseMs: 30_000, heartbeatMs: 500 } })
  const worker = start(['worker', 'jobs.mjs', '--queue', 'accounts'], moduleFolder(), {
    HOLDFAST_SERVER: url,
    HOLDFAST_KEY: key,
  })
  const { jobId } = await store.enqueue({ queue: 'accounts', kind: 'patient' })
  await until(async () => (await store.read.job(jobId)).state === 'running')
  const answer = await fetch(`${url}/api/v1/jobs/${jobId}/cancel`, {
    method: 'POST',
    headers: { ...bearer(key), 'content-type': 'application/json' },
    body: '{"reason": "not needed"}',
  })
  expect([answer.status, await answer.json()]).toMatchObject([202, { result: 'requested' }])
  await until(async () => (await store.read.job(jobId)).state === 'canceled')
  expect(await store.read.job(jobId)).toMatchObject({ reason: 'not needed', attempt: 1 })
  worker.child.kill('SIGTERM')
  expect((await worker.end).code).toBe(0)
})
