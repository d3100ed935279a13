// A server that stops: whoever waits is told, and its health says so.
import { expect, it } from 'vitest'
import { serve } from '../support/http.js'
import { freshStore } from '../support/world.js'
import { Stream } from './sse.js'

it('streams and long polls end cleanly, readyz says that the server stops, and what was asked is answered', async () => {
  const store = await freshStore()
  await store.queues.create('leads', { preset: 'harvest' })
  let letGo = () => {}
  const held = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const { app, url, call } = await serve(store, {}, (building) => building.addHook('preClose', () => held))
  const stream = await (await Stream.open(url)).settled()
  // On connections of their own: one that is kept could be used again in the moment in which the server closes it.
  const once = { connection: 'close' }
  const begin = (await call('GET', '/api/v1/events/next', undefined, once)).body.next_after
  const poll = call('GET', `/api/v1/events/next?wait_sec=30&after=${encodeURIComponent(begin)}`)
  const pull = call('GET', '/api/pull_job?wait_sec=30')
  expect((await call('GET', '/readyz', undefined, once)).status).toBe(200)
  const asked = performance.now()
  const closed = app.close()
  const pulled = await pull
  expect([pulled.status, pulled.headers.get('connection')]).toEqual([204, 'close'])
  expect(await poll).toMatchObject({ status: 200, body: { events: [] } })
  await stream.end()
  expect(stream.heard.at(-1)).toMatchObject({ event: 'end', data: { reason: 'stopping' } })
  for (const path of ['/readyz', '/healthz']) {
    const { status, body, headers } = await call('GET', path)
    expect([path, status, body.code]).toEqual([path, 503, 'draining'])
    expect(headers.get('retry-after')).not.toBeNull()
  }
  expect((await call('GET', '/livez')).status).toBe(200)
  expect((await call('GET', '/status')).body).toContain('stopping')
  const late = await Stream.open(url)
  await late.end()
  expect(late.heard.at(-1)?.data.reason).toBe('stopping')
  letGo()
  await closed
  expect(performance.now() - asked, 'nobody waited out the 30 seconds').toBeLessThan(30_000)
  await expect(call('GET', '/livez')).rejects.toThrow()
})

it('a pull whose caller has gone leaves the job to others', async () => {
  const store = await freshStore()
  await store.queues.create('leads', { preset: 'harvest' })
  const { url, call } = await serve(store)
  const gone = new AbortController()
  const pull = fetch(`${url}/api/pull_job?wait_sec=30`, { signal: gone.signal })
  gone.abort()
  await expect(pull).rejects.toThrow()
  const { jobId } = await store.enqueue({ queue: 'leads', kind: 'k' })
  expect((await call('GET', '/api/pull_job?wait_sec=30')).body).toMatchObject({ job_id: jobId })
})
