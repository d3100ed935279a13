import { request } from 'node:http'
import { listenMetrics, type MetricsAddress, workerMetrics } from 'holdfast/metrics'
import { expect, it, onTestFinished } from 'vitest'

async function listening(options: Partial<MetricsAddress> = {}): Promise<string> {
  const { url, close } = await listenMetrics(workerMetrics(), {
    host: '127.0.0.1',
    port: 0,
    loopback: true,
    ...options,
  })
  onTestFinished(close)
  return url
}

/** Any Host header, which fetch does not send. */
function asked(url: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { headers: { host } }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
      .on('error', reject)
      .end()
  })
}

it('a worker tells its metrics at /metrics, to GET, and nothing anywhere else', async () => {
  const url = await listening()
  const answer = await fetch(url)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  expect(await answer.text()).toContain('holdfast_build_info{version="')
  expect((await fetch(`${url}?x=1`)).status).toBe(200)
  expect((await fetch(url, { method: 'POST' })).status).toBe(405)
  expect((await fetch(url.replace('/metrics', '/'))).status).toBe(404)
})

it('without a token it answers only who calls it by a name of this machine', async () => {
  const url = await listening()
  const { port } = new URL(url)
  for (const host of ['localhost', `127.0.0.1:${port}`, `[::1]:${port}`, `LOCALHOST:${port}`])
    expect(await asked(url, host), host).toBe(200)
  for (const host of ['attacker.example', `localhost.attacker.example:${port}`, '10.0.0.1'])
    expect(await asked(url, host), host).toBe(421)
})

it('with a token it answers whoever brings it, by whatever name, and nobody else', async () => {
  const url = await listening({ token: 'sixteen-letters-x', loopback: false })
  const as = async (authorization?: string) =>
    (await fetch(url, authorization === undefined ? {} : { headers: { authorization } })).status
  expect(await as('Bearer sixteen-letters-x')).toBe(200)
  expect(await as('Bearer sixteen-letters-y')).toBe(401)
  expect(await as('sixteen-letters-x')).toBe(401)
  expect(await as()).toBe(401)
})

it('metrics that others could reach are not told without a token', async () => {
  await expect(listening({ loopback: false })).rejects.toThrow('need a token')
})
