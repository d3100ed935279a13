// The recipe python-worker: the whole of it, and its worker killed in the middle of a job.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished, vi } from 'vitest'
import { servePinned } from '../../support/http.js'
import { expectHealthy } from '../../support/world.js'
import { printedBy, recipeDatabase } from './recipe.js'

const WORKER = fileURLToPath(new URL('../../../examples/recipes/python-worker.py', import.meta.url))

it('finishes what it can and fails what it cannot, with the exception', async () => {
  const database = await recipeDatabase()
  const printed = await printedBy('python-worker', database)
  expect(printed.filter((line) => !line.startsWith('job '))).toEqual([
    "one { title: 'Page one' }",
    "two { title: 'Page two' }",
    expect.stringMatching(/^gone .*HTTP Error 404: Not Found/),
  ])
  const attempts = await database.rows<{ worker: string; outcome: string; log_excerpt: string }>(
    'select worker, outcome::text, log_excerpt from holdfast.attempts order by job_id',
  )
  expect(attempts.map(({ outcome }) => outcome)).toEqual(['succeeded', 'succeeded', 'failed'])
  expect(attempts.at(-1)?.log_excerpt).toMatch(/^Traceback .*in page_title/s)
  await expectHealthy(database.store)
})

it('a worker that is killed in the middle of a job loses it when its lease ends, and the next one finishes it', async () => {
  const { store, url } = await servePinned()
  const { secret } = await store.keys.create({ name: 'python', scopes: ['work'] })
  const start = () => {
    const env = { ...process.env, HOLDFAST_URL: url, HOLDFAST_KEY: secret }
    const child = spawn('python3', [WORKER], { env, stdio: ['ignore', 'ignore', 'inherit'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    return child
  }
  let calls = 0
  const site = createServer((_request, response) => {
    calls += 1
    // The first worker never gets its page.
    if (calls > 1) response.end('<title>\n At last </title>')
  }).listen(0, '127.0.0.1')
  onTestFinished(() => {
    site.closeAllConnections()
    site.close()
  })
  await once(site, 'listening')
  const input = { url: `http://127.0.0.1:${(site.address() as AddressInfo).port}/` }
  const { jobId } = await store.enqueue({ queue: 'pages', kind: 'page-title', input })

  const killed = start()
  await vi.waitFor(() => expect(calls).toBe(1), { timeout: 100_000 })
  killed.kill('SIGKILL')
  await once(killed, 'exit')
  await store.clock.advance(30_000)
  const second = start()
  const isDone = async () => expect((await store.read.job(jobId)).state).toBe('succeeded')
  await vi.waitFor(isDone, { timeout: 100_000 })
  second.kill('SIGTERM')
  expect(await once(second, 'exit')).toEqual([0, null])

  const attempts = await store.read.attempts(jobId)
  expect(attempts.map(({ outcome, result }) => [outcome, result])).toEqual([
    ['lost', null],
    ['succeeded', { title: 'At last' }],
  ])
  await expectHealthy(store)
})
