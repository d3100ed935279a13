// Items, tenants and the audit log from the command line: from the database, and the same through a server. And whether a server is ready.
import type { Store } from 'holdfast/store'
import { expect, it } from 'vitest'
import { serve } from '../support/http.js'
import { freshStore, postgresUrl } from '../support/world.js'
import { holdfast } from './run-holdfast.js'

const ADMIN = 'an-admin-key-of-the-test'

/** The same command twice: at the database, and through a server on it. */
async function bothWays(store: Store) {
  const { url, call } = await serve(store, { adminKey: ADMIN })
  const ways = [
    { flags: ['--url', postgresUrl(), '--schema', store.schema], env: {} },
    { flags: ['--server', url], env: { HOLDFAST_KEY: ADMIN } },
  ]
  const run = (...args: string[]) =>
    Promise.all(ways.map(({ flags, env }) => holdfast([...args, ...flags], { env })))
  const same = async (...args: string[]) => {
    const [direct, remote] = await run(...args)
    expect(remote).toEqual(direct)
    expect(direct).toMatchObject({ code: 0, stderr: '' })
    return direct?.stdout ?? ''
  }
  return { url, call, run, same }
}

/** More items than a page of the export has. */
const ITEMS = 250

it('items of a job or a queue are exported as the same file, from the database and through a server', async () => {
  const store = await freshStore()
  const { run, same } = await bothWays(store)
  await store.queues.create('leads', { preset: 'harvest' })
  const { jobId } = await store.enqueue({ queue: 'leads', kind: 'k' })
  const [job] = await store.work.claim({ worker: 'w', queues: ['leads'] })
  if (job === undefined) throw new Error('nothing was claimed')
  const items = Array.from({ length: ITEMS }, (_, n) => ({
    phone: `+49 ${n}`,
    at: 'postgres://ada:secret@db',
  }))
  await store.work.report({ ...job, items })
  const json = JSON.parse(await same('items', 'export', '--job', String(jobId), '--json'))
  expect(json).toHaveLength(ITEMS)
  // Data is handed out as it is: what looks like a password in it is the user's own.
  expect(json[0]).toMatchObject({ jobId, data: items[0] })
  const csv = await same('items', 'export', '--queue', 'leads', '--format', 'csv')
  expect(csv.split('\r\n')).toHaveLength(ITEMS + 2)
  expect(csv).toMatch(/^at,phone,item_id,/)
  for (const { code, stderr } of await run('items', 'export', '--queue', 'leds'))
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('There is no queue "leds"') })
  for (const { code, stderr } of await run('items', 'export'))
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('--queue or --job') })
})

it('tenants are listed and limited, from the database and through a server', async () => {
  const store = await freshStore()
  const { run, same } = await bothWays(store)
  expect(await same('tenants')).toBe('No tenant has a queue or a limit yet.\n')
  const limit = async (...flags: string[]) => {
    const [direct, remote] = await run('tenants', 'limit', 'acme', ...flags, '--json')
    for (const each of [direct, remote]) expect(each).toMatchObject({ code: 0, stderr: '' })
    return JSON.parse(remote?.stdout ?? '')
  }
  expect(await limit('--max-running', '20', '--enqueues-per-second', '5')).toMatchObject({
    ...{ name: 'acme', maxRunning: 20, enqueuesPerSecond: 5, maxLiveJobs: null },
  })
  expect(await limit('--max-running', 'none')).toMatchObject({ maxRunning: null, enqueuesPerSecond: 5 })
  expect(await same('tenants', 'list')).toMatch(/^tenant .*\nacme +any +any +5 +any\n$/)
  for (const { code, stderr } of await run('tenants', 'limit', 'acme'))
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('No limit given') })
  for (const { code } of await run('tenants', 'limit', 'acme', '--max-running', '0')) expect(code).toBe(2)
})

it('the audit log tells who called to change what, narrowed, from the database and through a server', async () => {
  const store = await freshStore()
  const { call, run, same } = await bothWays(store)
  expect(await same('audit')).toBe('No such call.\n')
  const headers = { authorization: `Bearer ${ADMIN}` }
  await call('POST', '/api/v1/queues', { name: 'mail' }, headers)
  await call('POST', '/api/v1/queues/mail/pause', { reason: 'no mail today' }, headers)
  await call('POST', '/api/v1/queues', { name: 'mail', preset: 'crawl' }, headers)
  const { calls } = JSON.parse(await same('audit', '--json'))
  expect(calls).toMatchObject([
    { actor: 'admin', operation: 'createQueue', status: 409, code: 'queue_exists' },
    { actor: 'admin', operation: 'pauseQueue', status: 200, code: null, reason: 'no mail today' },
    { actor: 'admin', operation: 'createQueue', status: 201, code: null },
  ])
  const narrowed = ['--operation', 'createQueue', '--until', '2999-01-01', '-n', '1', '--json']
  expect(JSON.parse(await same('audit', ...narrowed)).calls).toMatchObject([{ status: 409 }])
  expect(await same('audit', '--actor', 'nobody')).toBe('No such call.\n')
  const [{ stdout } = { stdout: '' }] = await run('audit')
  expect(stdout).toMatch(/when +who +tenant +operation +status +why\n.*409 queue_exists/)
  for (const { code } of await run('audit', '--since', 'yesterday')) expect(code).toBe(2)
})

it('healthcheck ends with 0 while a server is ready, and with 1 and the reason when it is not', async () => {
  const store = await freshStore()
  const { url, app } = await serve(store)
  const check = () => holdfast(['healthcheck', '--server', url, '--json'])
  expect(await check()).toEqual({ code: 0, stdout: `{"server":"${url}","ready":true}\n`, stderr: '' })
  await store.database.query(`insert into holdfast.migration values (999, 'later', holdfast.now(), '9.9.9')`)
  const ahead = await check()
  expect([ahead.code, JSON.parse(ahead.stderr)]).toMatchObject([
    1,
    { code: 'not_ready', message: expect.stringContaining('is newer than this program') },
  ])
  await app.close()
  const away = await holdfast(['healthcheck'], { env: { HOLDFAST_SERVER: url } })
  expect(away.code).toBe(1)
  expect(away.stderr).toContain(`The server at ${url} is not ready: connect ECONNREFUSED`)
  const { port } = new URL(url)
  expect((await holdfast(['healthcheck'], { env: { PORT: port } })).stderr).toContain(
    `http://127.0.0.1:${port}`,
  )
})
