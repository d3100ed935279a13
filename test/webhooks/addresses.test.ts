// Where a webhook may lead, and every way we know of to write where it may not.
import { createServer, type Server } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { checkAllowed, checkWebhookUrl, isPublic, resolveWebhook } from '../../src/webhooks/addresses.js'
import { sendWebhook } from '../../src/webhooks/send.js'
import { newWebhookSecret } from '../../src/webhooks/signature.js'

/** Each is an address that must not be called, as somebody might write it. */
const FORBIDDEN = [
  // this machine, in the usual form, short, in other bases, with leading zeros, mixed, as one number
  'https://127.0.0.1/',
  'https://127.0.0.1.:443/',
  'https://127.1/',
  'https://127.0.1/',
  'https://2130706433/',
  'https://0x7f000001/',
  'https://0x7F.0x0.0x0.0x1/',
  'https://0x7f.1/',
  'https://017700000001/',
  'https://0177.0.0.1/',
  'https://0177.0.0.01/',
  'https://00000177.0.0.1/',
  'https://127.0x0.0.01/',
  'https://127.255.255.254/',
  'https://%31%32%37.0.0.1/',
  'https://127%2e0%2e0%2e1/',
  'https://１２７.0.0.1/',
  'https://127。0。0。1/',
  'https://①②⑦.0.0.1/',
  'https://127.0.0.1:8443/x?y#z',
  'https:\\\\127.0.0.1\\x',
  'https:127.0.0.1',
  'https:///127.0.0.1/',
  // unspecified and "this network"
  'https://0.0.0.0/',
  'https://0/',
  'https://0x0/',
  'https://0.1.2.3/',
  // private
  'https://10.0.0.1/',
  'https://10.255.255.255/',
  'https://167772161/',
  'https://0xa000001/',
  'https://172.16.0.1/',
  'https://172.31.255.255/',
  'https://192.168.0.1/',
  'https://192.168.257/',
  'https://0300.0250.1.1/',
  // link-local, and the services clouds put there
  'https://169.254.0.1/',
  'https://169.254.169.254/latest/meta-data/',
  'https://2852039166/',
  'https://0xa9fea9fe/',
  'https://0251.0376.0251.0376/',
  'https://169.254.43518/',
  'https://169.254.170.2/',
  // shared by carriers, and what some clouds put there
  'https://100.64.0.1/',
  'https://100.100.100.200/',
  'https://100.127.255.255/',
  // protocol assignments, documentation, benchmarks, 6to4 relays
  'https://192.0.0.192/',
  'https://192.0.2.1/',
  'https://192.88.99.1/',
  'https://198.18.0.1/',
  'https://198.19.255.255/',
  'https://198.51.100.1/',
  'https://203.0.113.1/',
  // multicast, reserved, broadcast
  'https://224.0.0.1/',
  'https://239.255.255.250/',
  'https://240.0.0.1/',
  'https://255.255.255.255/',
  'https://4294967295/',
  // IPv6: unspecified, this machine, long and short
  'https://[::]/',
  'https://[::1]/',
  'https://[0:0:0:0:0:0:0:1]/',
  'https://[0000:0000:0000:0000:0000:0000:0000:0001]/',
  'https://[::0001]/',
  // IPv4 inside of IPv6: mapped, compatible, translated, NAT64, 6to4, Teredo
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://[::FFFF:A9FE:A9FE]/',
  'https://[0:0:0:0:0:ffff:10.0.0.1]/',
  'https://[::127.0.0.1]/',
  'https://[::ffff:0:127.0.0.1]/',
  'https://[64:ff9b::127.0.0.1]/',
  'https://[64:ff9b::a9fe:a9fe]/',
  'https://[64:ff9b:1::a00:1]/',
  'https://[2002:7f00:1::]/',
  'https://[2002:a9fe:a9fe::1]/',
  'https://[2001:0:a9fe:a9fe::1]/',
  // IPv6: link-local, site-local, unique local, multicast, documentation, discard, nothing assigned
  'https://[fe80::1]/',
  'https://[febf::1]/',
  'https://[fec0::1]/',
  'https://[fc00::1]/',
  'https://[fd00:ec2::254]/',
  'https://[ff02::1]/',
  'https://[2001:db8::1]/',
  'https://[3fff::1]/',
  'https://[100::1]/',
  'https://[4000::1]/',
]

/** Refused whatever they lead to. */
const NO_WEBHOOKS = [
  'http://example.com/',
  'ftp://example.com/',
  'file:///etc/passwd',
  'gopher://127.0.0.1:11211/_stats',
  'data:text/plain,hello',
  'javascript:alert(1)',
  '//example.com/',
  'example.com',
  '',
  'https://',
  'https://user@example.com/',
  'https://user:password@example.com/',
  'https://example.com@127.0.0.1/',
  'https://127.0.0.1@example.com/',
  'https://example.com:x@[::1]/',
  'https://example.com\u0000.evil/',
  'https://[fe80::1%25eth0]/',
  'https://256.256.256.256/',
  'https://127.0.0.1.example.com:99999/',
  `https://example.com/${'a'.repeat(2000)}`,
]

const PUBLIC = [
  'https://example.com/hook',
  'https://93.184.216.34/',
  'https://0x5db8d822/',
  'https://[2606:2800:220:1:248:1893:25c8:1946]/',
  'https://100.63.255.255/',
  'https://100.128.0.1/',
  'https://172.15.255.255/',
  'https://172.32.0.1/',
  'https://169.253.255.255/',
  'https://11.0.0.1/',
  'https://223.255.255.255/',
]

it.each(FORBIDDEN)('%s is refused, where it is written and where it is called', async (url) => {
  expect(() => checkWebhookUrl(url)).toThrow(/not public/)
  await expect(resolveWebhook(new URL(url), {})).rejects.toMatchObject({ code: 'webhook_refused' })
})

it.each(FORBIDDEN)('a name that leads to the address of %s is refused', async (url) => {
  const address = new URL(url).hostname.replace(/[[\]]/g, '')
  const lookup = async () => [{ address, family: address.includes(':') ? 6 : 4 }]
  await expect(resolveWebhook(new URL('https://hook.test/'), { lookup })).rejects.toThrow(/not public/)
})

it.each(NO_WEBHOOKS)('%s is refused, whatever it leads to', (url) => {
  expect(() => checkWebhookUrl(url)).toThrow(expect.objectContaining({ code: 'webhook_refused' }))
})

it.each(PUBLIC)('%s may be called', (url) => {
  expect(checkWebhookUrl(url)).toBeInstanceOf(URL)
})

it('the tables above are what they say', () => {
  expect(new Set(FORBIDDEN).size).toBeGreaterThanOrEqual(60)
  for (const address of ['nonsense', '', 'fe80::1%eth0', '127.0.0.1.']) expect(isPublic(address)).toBe(false)
})

it('an address is allowed by the range it is in, by its own family only, and then also without TLS', () => {
  const allow = ['10.1.0.0/16', '127.0.0.1', 'fd00:1::/32']
  for (const url of ['https://10.1.2.3/', 'http://10.1.2.3/', 'http://127.1/', 'https://[fd00:1::5]/'])
    expect(checkWebhookUrl(url, { allow })).toBeInstanceOf(URL)
  for (const url of [
    'https://10.2.0.1/',
    'https://127.0.0.2/',
    'https://[::ffff:10.1.2.3]/',
    'https://[fd00:2::5]/',
  ])
    expect(() => checkWebhookUrl(url, { allow })).toThrow(/not public/)
  expect(() => checkWebhookUrl('http://93.184.216.34/', { allow })).toThrow(/https/)
  for (const wrong of ['10.0.0.0/33', 'fd00::/129', '10.0.0.0/', '10.0.0.0/x', 'localhost', '10.0.0/8', ''])
    expect(() => checkAllowed([wrong]), wrong).toThrow(/is no address/)
  expect(checkAllowed(['10.0.0.0/0', '10.0.0.0/32', 'fd00::/128'])).toHaveLength(3)
})

let server: Server
let calls: string[] = []
let redirect: string | undefined
let port = 0

beforeAll(async () => {
  server = createServer((request, response) => {
    calls.push(request.url ?? '')
    response.writeHead(
      redirect === undefined ? 204 : 307,
      redirect === undefined ? {} : { location: redirect },
    )
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as { port: number }).port
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const send = (url: string, options: Parameters<typeof sendWebhook>[2] = {}) => {
  calls = []
  return sendWebhook({ url, secret: newWebhookSecret() }, { id: 'm1', body: '{}' }, options)
}

it('a name is asked for once, and the call goes to the address that was checked, wherever the name leads a moment later', async () => {
  const answers = ['127.0.0.1', '169.254.169.254', '10.0.0.1']
  let asked = 0
  const lookup = async () => [{ address: answers[asked++] ?? '', family: 4 }]
  const sent = await send(`http://rebinding.test:${port}/a`, { allow: ['127.0.0.1'], lookup })
  expect(sent).toEqual({ arrived: true, status: 204, error: null })
  expect({ asked, calls }).toEqual({ asked: 1, calls: ['/a'] })
  // The next call asks again, and this time it is refused.
  expect(await send(`http://rebinding.test:${port}/b`, { allow: ['127.0.0.1'], lookup })).toMatchObject({
    arrived: false,
    error: expect.stringContaining('not public'),
  })
  expect({ asked, calls }).toEqual({ asked: 2, calls: [] })
})

it('a name of which one address is forbidden is refused, in whichever order they come', async () => {
  const inside = { address: '10.0.0.1', family: 4 }
  const outside = { address: '127.0.0.1', family: 4 }
  for (const found of [
    [inside, outside],
    [outside, inside],
    [outside, { address: '::1', family: 6 }],
  ]) {
    const lookup = async () => found
    expect(await send(`http://two.test:${port}/`, { allow: ['127.0.0.1'], lookup })).toMatchObject({
      arrived: false,
      status: null,
    })
    expect(calls).toEqual([])
  }
})

it('a redirect is an answer like any other that is no success, wherever it points', async () => {
  redirect = `http://127.0.0.1:${port}/elsewhere`
  try {
    expect(await send(`http://127.0.0.1:${port}/first`, { allow: ['127.0.0.1'] })).toEqual({
      arrived: false,
      status: 307,
      error: 'the answer was 307, and redirects are not followed',
    })
    expect(calls).toEqual(['/first'])
  } finally {
    redirect = undefined
  }
})

it('without being allowed to, nothing of this machine is called, and what is told of it tells nothing of the network', async () => {
  const lookup = async () => [{ address: '127.0.0.1', family: 4 }]
  for (const url of [
    `https://127.0.0.1:${port}/`,
    `https://localhost:${port}/`,
    `https://inside.test:${port}/`,
  ]) {
    const { arrived, error } = await send(url, { lookup })
    expect({ arrived, error }).toEqual({
      arrived: false,
      error: 'This address is not allowed for a webhook: it leads to an address that is not public.',
    })
  }
  expect(calls).toEqual([])
  const lost = async () => {
    throw Object.assign(new Error('getaddrinfo ENOTFOUND secret.internal'), { code: 'ENOTFOUND' })
  }
  expect(await send('https://secret.internal/', { lookup: lost })).toMatchObject({ error: 'ENOTFOUND' })
  expect(await send('https://nowhere.test/', { lookup: async () => [] })).toMatchObject({
    error: expect.stringContaining('leads nowhere'),
  })
})
