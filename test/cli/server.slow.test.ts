// The command line without a database: everything goes through a server that listens on this machine.
import { writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { listening } from '../conformance/worlds.js'
import { freshStore, pinnedStore, type World } from '../support/world.js'
import { until } from '../worker/world.js'
import { emptyFolder, finished, holdfast, startHoldfast } from './run-holdfast.js'

const LIBRARY = fileURLToPath(new URL('../../dist/index.js', import.meta.url))

async function world(store: World) {
  const { url, key } = await listening(store)
  const env = { HOLDFAST_SERVER: url, HOLDFAST_KEY: key }
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await holdfast([...args, '--json'], { env })
    return { code, said: JSON.parse(stdout || 'null'), complaint: JSON.parse(stderr || 'null') }
  }
  return { url, key, env, run }
}

it('jobs are made, found, explained and steered through a server', async () => {
  const store = await pinnedStore()
  const { run } = await world(store)
  const made = await run('enqueue', 'mail', 'welcome', '{"to":"ada"}', '--key', 'ada', '--priority', '5')
  expect(made).toMatchObject({ code: 0, said: { jobs: [{ jobId: 1, deduplicated: false }] } })
  expect((await run('enqueue', 'mail', 'welcome', '--key', 'ada')).said.jobs).toEqual([
    { jobId: 1, deduplicated: true },
  ])
  expect((await run('jobs', 'list', '--queue', 'mail')).said).toMatchObject({
    jobs: [{ id: 1, kind: 'welcome', priority: 5 }],
    next: null,
  })
  expect((await run('jobs', 'show', '1')).said).toMatchObject({ id: 1, input: { to: 'ada' }, history: [] })
  expect((await run('jobs', 'explain', '1')).said).toMatchObject({
    jobId: 1,
    state: 'queued',
    allowed: expect.arrayContaining(['cancel', 'boost']),
  })
  expect((await run('jobs', 'history', '1')).said).toMatchObject({ kind: 'welcome' })
  expect((await run('jobs', 'boost', '1', '--by', '20')).said).toEqual({ jobs: [{ jobId: 1, priority: 25 }] })
  expect((await run('jobs', 'cancel', '1', '--reason', 'not needed')).said).toMatchObject({
    jobs: [{ jobId: 1, result: 'canceled', state: 'canceled' }],
  })
  expect(await store.read.job(1)).toMatchObject({ state: 'canceled', reason: 'not needed' })
  expect((await run('jobs', 'retry', '1')).said).toEqual({ jobs: [{ jobId: 1, state: 'queued' }] })
})

it('queues, targets and workers are seen and steered through a server', async () => {
  const store = await pinnedStore()
  const { run } = await world(store)
  await store.enqueue({ queue: 'mail', kind: 'welcome' })
  expect((await run('queues', 'pause', 'mail', '--reason', 'lunch')).said).toEqual({
    queue: 'mail',
    paused: true,
    changed: true,
  })
  expect((await run('queues', 'list')).said).toMatchObject({
    queues: [{ name: 'mail', queued: 1, pauseReason: 'lunch' }],
  })
  expect((await run('targets')).said).toMatchObject({ targets: [] })
  expect((await run('workers')).said).toEqual({ workers: [] })
  expect(await run('workers', 'drain', 'nobody')).toMatchObject({
    code: 1,
    complaint: { code: 'unknown_worker' },
  })
})

it('what a server does not offer, or who cannot be reached, is said in words', async () => {
  const { run, env } = await world(await pinnedStore())
  expect(await run('queues', 'list', '--server', 'http://127.0.0.1:1')).toMatchObject({
    code: 69,
    complaint: { code: 'server_unreachable' },
  })
  expect(await run('jobs', 'list', '--server', env.HOLDFAST_SERVER, '--url', 'postgres://x')).toMatchObject({
    code: 2,
  })
  const wrong = await holdfast(['jobs', 'list', '--json'], { env: { ...env, HOLDFAST_KEY: 'hf_wrong' } })
  expect(JSON.parse(wrong.stderr)).toMatchObject({ code: 'unauthorized' })
})

it('a worker without a database does the jobs of a server, with its heart in a thread of its own, and drains on SIGTERM', async () => {
  const store = (await freshStore()) as World
  const { env } = await world(store)
  const folder = emptyFolder()
  writeFileSync(
    join(folder, 'jobs.mjs'),
    `import { defineJob } from ${JSON.stringify(LIBRARY)}
     export const greet = defineJob({ kind: 'greet', queue: 'q', handler: (ctx, { name }) => ({ hello: name }) })`,
  )
  const child = startHoldfast(['worker', 'jobs.mjs', '--name', 'remote', '--json'], { cwd: folder, env })
  const end = finished(child)
  onTestFinished(() => void child.kill('SIGKILL'))
  const { jobId } = await store.enqueue({ queue: 'q', kind: 'greet', input: { name: 'ada' } })
  while ((await store.read.job(jobId)).state !== 'succeeded')
    await new Promise((resolve) => setTimeout(resolve, 20))
  expect(await store.read.job(jobId)).toMatchObject({ result: { hello: 'ada' } })
  await until(async () => (await store.workers.list()).length > 0)
  expect(await store.workers.list()).toMatchObject([{ worker: 'remote', kinds: ['greet'], alive: true }])
  child.kill('SIGTERM')
  expect((await end).code).toBe(0)
  expect(await store.workers.list()).toEqual([])
  expect(await store.database.query('select id from holdfast.lease')).toEqual([])
})

it('our server passes the conformance kit, and its cases can be printed and recorded', async () => {
  const { env } = await world((await freshStore()) as World)
  const { code, stdout, stderr } = await holdfast(['conformance', '--json'], { env })
  const { cases } = JSON.parse(stdout)
  expect(cases.filter(({ ok }: { ok: boolean }) => !ok)).toEqual([])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const printed = JSON.parse((await holdfast(['conformance', '--cases'])).stdout).cases
  expect(printed.map(({ id }: { id: string }) => id)).toEqual(cases.map(({ id }: { id: string }) => id))
  expect(printed.length).toBeGreaterThan(15)
  const recorded = JSON.parse(
    (await holdfast(['conformance', '--record', '--only', 'terms'], { env })).stdout,
  )
  expect(recorded.cases[0].exchanges).toMatchObject([
    {
      request: { method: 'POST', path: '/api/v1/work/terms' },
      response: { status: 200, body: { lease_ms: 30_000 } },
    },
  ])
})

it('the conformance kit finds a server that accepts what it must refuse', async () => {
  const { url, env } = await world((await freshStore()) as World)
  const liar = await lying(url)
  const { code, stdout, stderr } = await holdfast(
    ['conformance', '--server', liar, '--only', 'fence', 'report', '--json'],
    { env },
  )
  expect(code).toBe(1)
  expect(JSON.parse(stdout).cases).toMatchObject([
    {
      id: 'fence',
      ok: false,
      problems: [expect.stringContaining('/jobs/0/accepted is true, not false'), expect.anything()],
    },
    { id: 'report', ok: true },
  ])
  expect(JSON.parse(stderr)).toMatchObject({ code: 'not_conformant' })
})

/** A server in front of the real one that says yes to every ending. */
async function lying(url: string): Promise<string> {
  const forward = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const answer = await fetch(`${url}${request.url}`, {
      method: request.method ?? 'GET',
      headers: { authorization: request.headers.authorization ?? '', 'content-type': 'application/json' },
      ...(body.length === 0 ? {} : { body }),
    })
    const text = (await answer.text()).replaceAll('"accepted":false', '"accepted":true')
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
  }
  const server = createServer((request, response) => void forward(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
