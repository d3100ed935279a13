// Whatever a receiver does with the connection, the call is settled with an error inside its deadline.
import { createServer, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { sendWebhook } from '../../src/webhooks/send.js'
import { newWebhookSecret } from '../../src/webhooks/signature.js'

/** What a receiver writes once it has the request; it leaves the connection open, and writes `more` for as long as it is. */
async function hostile(first: string, more?: string): Promise<string> {
  const server = createServer((socket: Socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write(first)
      if (more === undefined) return
      const timer = setInterval(() => socket.write(more), 5)
      socket.on('close', () => clearInterval(timer))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/hook`
}

const TIMEOUT_MS = 500

const send = (url: string) =>
  sendWebhook(
    { url, secret: newWebhookSecret() },
    { id: 'm', body: '{}' },
    { allow: ['127.0.0.1'], timeoutMs: TIMEOUT_MS },
  )

const TOO_LATE = { arrived: false, status: null, error: 'no answer within 0.5 s' }

it.each([
  ['with the headers of an upgrade', 'Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n'],
  ['to any protocol', 'Upgrade: h2c, x\r\nConnection: Upgrade\r\n\r\nbytes of another protocol'],
  ['without any header', '\r\n'],
])('6.13 a webhook that answers 101 %s has failed', async (_how, headers) => {
  const url = await hostile(`HTTP/1.1 101 Switching Protocols\r\n${headers}`)
  expect(await send(url)).toEqual({ arrived: false, status: 101, error: 'the answer was 101' })
})

it.each([
  ['103 without end', '', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'],
  ['half of a header', 'HTTP/1.1 200 OK\r\nx: ', undefined],
  ['a header a byte at a time', 'HTTP/1.1 200 OK\r\nx: ', 'a'],
  ['nothing', '', undefined],
])('6.13 a webhook that answers %s is given up at the deadline', async (_what, first, more) => {
  expect(await send(await hostile(first, more))).toMatchObject({ arrived: false, status: null })
})

it('6.13 a webhook that takes the call and never answers is given up at the deadline', async () => {
  expect(await send(await hostile(''))).toEqual(TOO_LATE)
})

it('6.13 a body without end is not read', async () => {
  const url = await hostile('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', '1\r\na\r\n')
  expect(await send(url)).toEqual({ arrived: true, status: 200, error: null })
})

it('6.13 a redirect to itself is one call', async () => {
  const url = await hostile('HTTP/1.1 302 Found\r\nlocation: /hook\r\ncontent-length: 0\r\n\r\n')
  expect(await send(url)).toMatchObject({ arrived: false, status: 302 })
})

it('6.13 a name whose resolver never answers is given up at the deadline', async () => {
  const lookup = () => new Promise<never>(() => {})
  const sent = sendWebhook(
    { url: 'https://hooks.example.test/', secret: newWebhookSecret() },
    { id: 'm', body: '{}' },
    { lookup, timeoutMs: TIMEOUT_MS },
  )
  expect(await sent).toEqual(TOO_LATE)
})
