// The page for a browser: what it shows, to whom, and that nothing in it runs.
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { serve } from '../support/http.js'
import { PRESENCE } from '../support/presence.js'
import { freshStore } from '../support/world.js'

const EVIL = `"><script>alert(1)</script><img src=x onerror=alert(2)>'\`&`

const basic = (user: string, key: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${key}`).toString('base64')}`,
})

it('an empty server says so and how to make a job; nothing on the page runs or comes from elsewhere', async () => {
  const { call, url } = await serve(await freshStore())
  const { status, body, headers } = await call('GET', '/status')
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  for (const words of [
    'No queues yet',
    `curl ${url}/api/v1/jobs`,
    'No target is blocked',
    'No worker',
    'href="docs"',
  ])
    expect(body).toContain(words)
  expect(body).not.toMatch(/<script|style=|\son\w+=|<(?:img|link|iframe)[^>]+(?:https?:)?\/\//)
  const style = await call('GET', '/status.css')
  expect(style.headers.get('content-type')).toBe('text/css; charset=utf-8')
  expect(style.body).toContain('prefers-color-scheme: dark')
  expect(style.body).not.toMatch(/url\(|@import/)
})

it('S3.10 the status page shows counts, latest failures, blocked targets with cause and age, and workers, all escaped', async () => {
  const store = await freshStore()
  await store.queues.create('talks', { preset: 'target' })
  await store.queues.pause('talks', { reason: EVIL })
  await store.queues.resume('talks')
  const fail = async (queue: string, target?: string) => {
    await store.enqueue({ queue, kind: 'k', maxRetries: 0, ...(target === undefined ? {} : { target }) })
    const [job] = await store.work.claim({ worker: 'w', queues: [queue] })
    if (job === undefined) throw new Error('nothing was claimed')
    await store.work.finish([{ ...job, outcome: 'failed', error: new Error(`no answer ${EVIL}`) }])
    return job.jobId
  }
  const failed = await fail('mail')
  const blocking = await fail('talks', `room ${EVIL}`)
  await store.enqueue({ queue: 'talks', kind: 'k', target: `room ${EVIL}` })
  await store.queues.pause('mail', { reason: EVIL })
  await store.work.heartbeat({ ...PRESENCE, host: EVIL, kinds: [], queues: ['mail'], slots: 4, busy: 3 })
  await store.enqueueMany(Array.from({ length: 1_000 }, () => ({ queue: 'bulk', kind: 'k' })))
  const { call } = await serve(store)
  const { body } = await call('GET', '/status')
  for (const words of [
    `job ${failed} in mail`,
    `>${blocking}</td>`,
    'errored',
    'no answer',
    '3 of 4',
    '1,000+',
    'paused',
    's ago',
  ])
    expect(body).toContain(words)
  expect(body).not.toMatch(/<script|<img/)
  expect(body).toContain('&#60;script&#62;')
  // Every quotation mark left is one of ours: attributes and tags stay closed.
  expect(body.replace(/<[a-z!/][^<>]*>/g, '')).not.toMatch(/[<>]/)
})

it('where keys exist it takes one with the scope read as the password; a key for every tenant names one as the user', async () => {
  const store = await freshStore()
  await store.enqueue({ queue: 'of-acme', kind: 'k' }, { tenant: 'acme' })
  await store.enqueue({ queue: 'of-default', kind: 'k' })
  const { call } = await serve(store)
  const key = async (name: string, scopes: ('read' | 'work')[], tenant: string) =>
    (await store.keys.create({ name, scopes, tenant })).secret
  const acme = await key('acme', ['read'], 'acme')
  const closed = await call('GET', '/status')
  expect(closed.status).toBe(401)
  expect(closed.headers.get('www-authenticate')).toContain('Basic')
  expect(closed.body).toContain('A key is needed')
  expect(closed.body).not.toContain('of-default')
  const theirs = await call('GET', '/status', undefined, basic('', acme))
  expect([theirs.status, theirs.body.includes('of-acme'), theirs.body.includes('of-default')]).toEqual([
    200,
    true,
    false,
  ])
  expect((await call('GET', '/status', undefined, basic('bolt', acme))).body).toContain('of-acme')
  expect((await call('GET', '/status', undefined, { authorization: `Bearer ${acme}` })).status).toBe(200)
  const wide = await key('wide', ['read'], '*')
  expect((await call('GET', '/status', undefined, basic('acme', wide))).body).toContain('of-acme')
  expect((await call('GET', '/status', undefined, basic('', wide))).body).toContain('of-default')
  const poor = await call('GET', '/status', undefined, basic('', await key('poor', ['work'], 'acme')))
  expect([poor.status, poor.body.includes('of-acme')]).toEqual([403, false])
  for (const wrong of [basic('', 'hf_wrong'), basic('', ''), { authorization: 'Basic %%%' }])
    expect((await call('GET', '/status', undefined, wrong)).status).toBe(401)
})

it('an open server shows it to this machine’s own names only', async () => {
  const { url } = await serve(await freshStore())
  // fetch does not let its caller choose the host.
  const request = get(`${url}/status`, { headers: { host: 'evil.example' } })
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([421, 'text/html; charset=utf-8'])
  expect(await text(answer)).toContain('docs/problems#wrong_host')
})

it('when there is nothing to show, it says so, what to do and by which request to find it in the log, and looks again', async () => {
  const store = await freshStore()
  const lines: object[] = []
  const log = {
    info: () => {},
    warn: () => {},
    debug: () => {},
    error: (fields: object) => lines.push(fields),
  }
  const { call } = await serve(store, { log })
  await store.database.script('drop view holdfast.workers cascade')
  const { status, body, headers } = await call('GET', '/status')
  expect(status).toBe(503)
  const id = headers.get('x-request-id')
  for (const words of ['docs/problems#schema_missing', 'Run `holdfast migrate up`.', `${id}`, 'refresh'])
    expect(body.replaceAll('&#96;', '`')).toContain(words)
  expect(body).not.toMatch(/relation|select|holdfast\.workers/)
  expect(lines).toEqual([
    {
      event: 'call_failed',
      request_id: id,
      code: 'schema_missing',
      error: expect.stringContaining('workers'),
    },
  ])
})
