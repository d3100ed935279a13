/** A receiver of webhooks as somebody else would have one: HTTPS on this machine, with a certificate made for it by an authority of its own. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects to find
  readonly body: any
}

export interface Receiver {
  /** By name, as the certificate has it; `lookup` leads it to this machine. */
  readonly url: string
  readonly port: number
  /** Of the authority. */
  readonly ca: string
  readonly received: Received[]
  /** What it answers from now on. */
  answer(status: number, headers?: Record<string, string>): void
  /** From now on it takes calls and never answers them. */
  fallSilent(): void
}

const HOST = 'hooks.example.test'
export const toThisMachine = async () => [{ address: '127.0.0.1', family: 4 }]

let authority: { ca: string; key: string; cert: string } | undefined

export async function startReceiver(): Promise<Receiver> {
  authority ??= makeCertificates()
  const { ca, key, cert } = authority
  const received: Received[] = []
  let [status, headers]: [number, Record<string, string>] = [204, {}]
  let isSilent = false
  const server = createServer({ key, cert }, (request, response) => {
    void keep(request, response).catch(() => response.destroy())
  })
  const keep = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString('utf8')
    received.push({ path: request.url ?? '', headers: request.headers, text, body: JSON.parse(text) })
    if (isSilent) return
    response.writeHead(status, headers).end(status === 204 ? undefined : 'something to say')
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as { port: number }
  return {
    url: `https://${HOST}:${port}/alerts`,
    port,
    ca,
    received,
    answer: (next, more = {}) => {
      ;[status, headers] = [next, more]
      isSilent = false
    },
    fallSilent: () => {
      isSilent = true
    },
  }
}

/** Made at test time, so that none of them ever runs out. */
function makeCertificates() {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-ca-'))
  const file = (name: string) => join(folder, name)
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
  try {
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
    openssl(
      'req',
      '-x509',
      ...curve,
      '-keyout',
      'ca.key',
      '-out',
      'ca.pem',
      '-days',
      '2',
      '-subj',
      '/CN=authority',
    )
    openssl('req', ...curve, '-keyout', 'own.key', '-out', 'own.csr', '-subj', `/CN=${HOST}`)
    writeFileSync(file('names'), `subjectAltName=DNS:${HOST}\n`)
    openssl(
      ...'x509 -req -in own.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out own.pem -days 2 -extfile names'.split(
        ' ',
      ),
    )
    const text = (name: string) => readFileSync(file(name), 'utf8')
    return { ca: text('ca.pem'), key: text('own.key'), cert: text('own.pem') }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
