// Serves jobs over HTTP to a worker in Python, python-worker.py, and waits for their results.
// Use it when the code that does the work is in Python or another language: a worker needs only HTTP and JSON.
// Run it: npm run example -- recipes/python-worker   (it needs python3)
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { holdfast } from 'holdfast'
import { buildServer } from 'holdfast/server'

const app = await holdfast({ migrate: true })
const api = buildServer(app.store, { loopback: true })
const url = await api.listen({ port: 0, host: '127.0.0.1' })

const worker = spawn('python3', ['examples/recipes/python-worker.py'], {
  env: { ...process.env, HOLDFAST_URL: url },
  stdio: ['ignore', 'inherit', 'inherit'],
})

// Pages for the worker to fetch, in place of the internet.
const site = createServer((request, response) => {
  if (request.url === '/gone') response.writeHead(404).end()
  else response.end(`<html><title>Page ${request.url?.slice(1)}</title></html>`)
}).listen(0, '127.0.0.1')
await once(site, 'listening')
const { port } = site.address() as AddressInfo

for (const page of ['one', 'two', 'gone']) {
  const input = { url: `http://127.0.0.1:${port}/${page}` }
  const { jobId } = await app.store.enqueue({ queue: 'pages', kind: 'page-title', input, maxRetries: 0 })
  const result = await app
    .handle(jobId)
    .result()
    .catch((error: Error) => error.message)
  console.log(page, result)
}

worker.kill('SIGTERM')
await once(worker, 'exit')
site.close()
await api.close()
await app.stop()
