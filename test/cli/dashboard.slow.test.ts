// `holdfast dashboard`: the dashboard straight on a database, for the person who starts it.
import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { start } from '../support/cli/long-running.js'
import { makeDatabase } from '../support/databases.js'
import { emptyFolder, holdfast } from './run-holdfast.js'

async function database() {
  const url = await makeDatabase()
  expect((await holdfast(['migrate', 'up', '--url', url])).code).toBe(0)
  return url
}

async function started(url: string, ...more: string[]) {
  const process = start(['dashboard', '--url', url, '--port', '0', ...more], emptyFolder())
  const { url: address } = await process.said(({ event }) => event === 'dashboard_started')
  const stop = async () => {
    process.child.kill('SIGTERM')
    expect((await process.end).code).toBe(0)
  }
  return { link: new URL(address as string), stop }
}

const NOWHERE = 'postgres://127.0.0.1:1/none'
const JOB = { method: 'POST', body: '{"queue": "q", "kind": "k"}' }
const JSON_BODY = { 'content-type': 'application/json' }

it('without keys it is open to this machine; read-only refuses what changes something', async () => {
  const url = await database()
  const whole = await started(url, '--base-path', '/ops/jobs')
  expect(whole.link.pathname).toBe('/ops/jobs/')
  const page = await fetch(whole.link, { headers: { accept: 'text/html' } })
  expect(await page.text()).toMatch(/<base href="\/ops\/jobs\/">[\s\S]*assets\//)
  expect((await fetch(new URL('api/v1/jobs', whole.link), { ...JOB, headers: JSON_BODY })).status).toBe(201)
  await whole.stop()
  const readOnly = await started(url, '--read-only')
  const at = (path: string, init: RequestInit = {}) => fetch(new URL(path, readOnly.link), init)
  expect(await (await at('api/v1/session')).json()).toMatchObject({ open: true, read_only: true })
  const refused = await at('api/v1/jobs', { ...JOB, headers: JSON_BODY })
  expect([refused.status, await refused.json()]).toEqual([
    403,
    expect.objectContaining({ code: 'read_only' }),
  ])
  expect(await (await at('api/v1/jobs')).json()).toMatchObject({ jobs: [{ queue: 'q' }] })
  await readOnly.stop()
})

it('where keys exist it prints a link that signs in, and no other call comes in', async () => {
  const url = await database()
  expect((await holdfast(['keys', 'create', 'ci', '--scope', 'read', '--url', url])).code).toBe(0)
  const { link, stop } = await started(url)
  expect((await fetch(new URL('api/v1/jobs', link))).status).toBe(401)
  const wrong = new URL('?sign_in=hf_wrong', link)
  const not = await fetch(wrong, { redirect: 'manual' })
  expect([not.status, not.headers.get('location'), not.headers.get('set-cookie')]).toEqual([303, '/', null])
  const signedIn = await fetch(link, { redirect: 'manual' })
  expect([signedIn.status, signedIn.headers.get('location')]).toEqual([303, '/'])
  const cookie = signedIn.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  const at = (path: string, init: RequestInit = {}) =>
    fetch(new URL(path, link), { ...init, headers: { cookie, ...init.headers } })
  const session = (await (await at('api/v1/session')).json()) as { csrf_token: string }
  expect(session).toMatchObject({ signed_in: true, tenant: '*', read_only: false, can_sign_out: true })
  expect((await at('api/v1/jobs', { ...JOB, headers: JSON_BODY })).status).toBe(403)
  const headers = { ...JSON_BODY, 'x-csrf-token': session.csrf_token }
  expect((await at('api/v1/jobs', { ...JOB, headers })).status).toBe(201)
  await stop()
  // The session ends with the process: its key was of this process alone.
  const next = await started(url)
  expect((await fetch(new URL('api/v1/jobs', next.link), { headers: { cookie } })).status).toBe(401)
  await next.stop()
})

it('a port that is taken, a database that is not there or has no schema, and a wrong path end it with what to do', async () => {
  const taken = createServer()
  taken.listen(0, '127.0.0.1')
  await once(taken, 'listening')
  onTestFinished(() => void taken.close())
  const { port } = taken.address() as { port: number }
  const url = await makeDatabase()
  const run = async (...args: string[]) => {
    const env = { HOLDFAST_DATABASE_WAIT_SECONDS: args.includes(NOWHERE) ? '0' : '30' }
    const { code, stderr } = await holdfast(['dashboard', '--json', ...args], { env })
    return { code, ...JSON.parse(stderr) }
  }
  expect(await run('--url', url, '--port', String(port))).toMatchObject({
    message: `Port ${port} is in use by another program.`,
    remedy: expect.stringContaining('--port'),
  })
  expect(await run('--url', NOWHERE, '--port', '0')).toMatchObject({
    code: 'unavailable',
  })
  expect(await run('--url', url, '--port', '0')).toMatchObject({
    remedy: expect.stringContaining('holdfast migrate up'),
  })
  expect(await run('--url', url, '--port', '0', '--base-path', '/a b')).toMatchObject({
    message: expect.stringContaining('/ops/jobs'),
  })
})
