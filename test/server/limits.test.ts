// The bounds of a request, on real sockets.
import { connect, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import type { HttpLimits } from '../../src/server/http/limits.js'
import { freshServer } from './world.js'

async function listening(limits: Partial<HttpLimits>): Promise<number> {
  const { app } = await freshServer({ limits })
  await app.listen({ port: 0, host: '127.0.0.1' })
  return (app.server.address() as { port: number }).port
}

function open(port: number): Socket {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => {
    socket.destroy()
  })
  return socket
}

/** Everything that was answered until the server closed the connection. */
function untilClosed(socket: Socket): Promise<string> {
  let heard = ''
  socket.on('data', (part) => {
    heard += part
  })
  return new Promise((resolve) => {
    // Who writes on after the end hears a reset, which is an end, too.
    socket.on('error', () => {})
    socket.on('close', () => resolve(heard))
  })
}

const codeOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)).code
const post = (headers: string) => `POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n\r\n`

it.each([
  [-1, 200],
  [0, 200],
  [1, 431],
])('headers of headerBytesMax %i bytes are answered %i', async (more, status) => {
  const port = await listening({ headerBytesMax: 2_000 })
  const socket = open(port)
  const answer = untilClosed(socket)
  // The address, and names and values of headers.
  const others = ['/healthz', 'Host', 'localhost', 'Connection', 'close', 'X-Long'].join('').length
  const long = 'x'.repeat(2_000 + more - others)
  socket.write(`GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Long: ${long}\r\n\r\n`)
  expect(await answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  if (status === 431) expect(codeOf(await answer)).toBe('headers_too_large')
})

it.each([
  [-1, 201],
  [0, 201],
  [1, 413],
])('a body of bodyBytesMax %i bytes is answered %i', async (more, status) => {
  const { call } = await freshServer({ limits: { bodyBytesMax: 1_000 } })
  const body = '{"queue": "q", "kind": "k"}'.padEnd(1_000 + more)
  expect((await call('POST', '/api/v1/jobs', { body })).status).toBe(status)
})

it('headers that do not come within headersMs, and a body that does not within requestMs, are 408', async () => {
  const port = await listening({ headersMs: 50, requestMs: 100, checkMs: 20 })
  const [silent, slow] = [open(port), open(port)]
  const answers = [untilClosed(silent), untilClosed(slow)]
  silent.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n')
  slow.write(`${post('Content-Type: application/json\r\nContent-Length: 100')}{"queue"`)
  for (const answer of answers) {
    expect(await answer).toMatch(/^HTTP\/1\.1 408 /)
    expect(codeOf(await answer)).toBe('request_timeout')
  }
})

it('a connection that does not take its answers is closed after socketIdleMs', async () => {
  const { app } = await freshServer({ limits: { socketIdleMs: 100 } })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const socket = open((app.server.address() as { port: number }).port)
  socket.pause()
  // More than the buffers of the system hold.
  socket.write('GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(200))
  const connections = () =>
    new Promise<number>((resolve) => app.server.getConnections((_error, count) => resolve(count)))
  await expect.poll(connections).toBe(1)
  await expect.poll(connections).toBe(0)
})

const CHUNK = `10000\r\n${'x'.repeat(64 * 1024)}\r\n`

it('a body of 50 MB that is streamed is 413 long before its end', async () => {
  const port = await listening({})
  const socket = open(port)
  const answer = untilClosed(socket)
  let answered = false
  socket.once('data', () => {
    answered = true
  })
  socket.write(post('Content-Type: application/json\r\nTransfer-Encoding: chunked'))
  let sent = 0
  while (!answered && !socket.destroyed && sent < 50 * 1024 * 1024) {
    sent += 64 * 1024
    if (!socket.write(CHUNK))
      await new Promise((resolve) => socket.once('drain', resolve).once('close', resolve))
  }
  socket.end()
  expect(await answer).toMatch(/^HTTP\/1\.1 413 /)
  expect(sent).toBeLessThan(50 * 1024 * 1024)
})

it('a caller that reads only after it has sent all of its body gets its 413 within lingerMs', async () => {
  const { app, call } = await freshServer({ limits: { lingerMs: 60_000 } })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const socket = open((app.server.address() as { port: number }).port)
  const answer = untilClosed(socket)
  socket.pause()
  socket.write(post('Content-Type: application/json\r\nTransfer-Encoding: chunked'))
  for (let sent = 0; sent < 20 * 1024 * 1024; sent += 64 * 1024)
    if (!socket.write(CHUNK))
      await new Promise((resolve) => socket.once('drain', resolve).once('close', resolve))
  // A request that follows is not carried out: its response could not be sent.
  const job = '{"queue": "q", "kind": "k"}'
  socket.write(`0\r\n\r\n${post(`Content-Type: application/json\r\nContent-Length: ${job.length}`)}${job}`)
  socket.resume()
  socket.end()
  expect(await answer).toMatch(/^HTTP\/1\.1 413 /)
  expect((await answer).split('HTTP/1.1')).toHaveLength(2)
  expect((await call('GET', '/api/v1/jobs')).body.jobs).toEqual([])
})

it('a caller that goes on sending is disconnected lingerMs after its 413', async () => {
  const port = await listening({ lingerMs: 50 })
  const socket = open(port)
  const answer = untilClosed(socket)
  socket.write(`${post('Content-Type: application/json\r\nContent-Length: 50000000')}{`)
  expect(await answer).toMatch(/^HTTP\/1\.1 413 /)
})

it('more connections than connectionsMax are turned away, and there is room again when one has gone', async () => {
  const port = await listening({ connectionsMax: 1 })
  const first = open(port)
  await new Promise((resolve) => first.once('connect', resolve))
  first.write('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await new Promise((resolve) => first.once('data', resolve))
  expect(await untilClosed(open(port))).toBe('')
  first.end()
  await expect
    .poll(async () => {
      const socket = open(port)
      const answer = untilClosed(socket)
      socket.end('GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
      return answer
    })
    .toMatch(/^HTTP\/1\.1 200 /)
})
