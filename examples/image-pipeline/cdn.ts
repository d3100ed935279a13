/** A CloudFront for one machine: it takes invalidations, as the SDK signs and writes them, and refuses what Amazon would refuse. */
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

const SIGNED =
  /^AWS4-HMAC-SHA256 Credential=\w+\/\d{8}\/[a-z0-9-]+\/cloudfront\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=[0-9a-f]{64}$/
const PATH = /^\/2020-05-31\/distribution\/(\w+)\/invalidation$/

export interface Invalidation {
  readonly distribution: string
  readonly reference: string
  readonly paths: readonly string[]
}

export interface Cdn {
  readonly endpoint: string
  /** What was asked for, once for each reference. */
  invalidations(): Invalidation[]
  /** Refuses the next invalidations of this path, as CloudFront does while it is busy with others. */
  refuse(path: string, times: number): void
  stop(): Promise<void>
}

interface Answer {
  readonly status: number
  readonly body: string
}

interface Kept {
  readonly invalidations: Map<string, Invalidation>
  readonly refusals: Map<string, number>
}

export async function startCdn(): Promise<Cdn> {
  const kept: Kept = { invalidations: new Map(), refusals: new Map() }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { status, body } = answer(request, Buffer.concat(chunks).toString(), kept)
    response
      .writeHead(status, { 'content-type': 'text/xml' })
      .end(`<?xml version="1.0" encoding="UTF-8"?>\n${body}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    invalidations: () => [...kept.invalidations.values()],
    refuse: (path, times) => void kept.refusals.set(path, times),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function answer({ method, url = '', headers }: IncomingMessage, body: string, kept: Kept): Answer {
  const signed = SIGNED.exec(headers.authorization ?? '')
  if (!signed?.[1]?.split(';').includes('host'))
    return refusal(403, 'MissingAuthenticationToken', 'the request is not signed')
  const hash = createHash('sha256').update(body).digest('hex')
  if (headers['x-amz-content-sha256'] !== hash)
    return refusal(403, 'SignatureDoesNotMatch', 'what was signed is not what came')
  const distribution = PATH.exec(url)?.[1]
  if (method !== 'POST' || distribution === undefined) return refusal(404, 'NoSuchDistribution', url)
  const reference = /<CallerReference>([^<]+)<\/CallerReference>/.exec(body)?.[1]
  const paths = [...body.matchAll(/<Path>([^<]+)<\/Path>/g)].map(([, path = '']) => path)
  const quantity = Number(/<Quantity>(\d+)<\/Quantity>/.exec(body)?.[1])
  if (
    reference === undefined ||
    paths.length === 0 ||
    paths.length !== quantity ||
    !paths.every((each) => each.startsWith('/'))
  )
    return refusal(400, 'InvalidArgument', 'an invalidation has a reference and as many paths as it says')
  if (paths.some((path) => isRefused(path, kept)))
    return refusal(400, 'TooManyInvalidationsInProgress', 'too many invalidations are in progress')
  // A reference that was used is the same invalidation again.
  if (!kept.invalidations.has(reference))
    kept.invalidations.set(reference, { distribution, reference, paths })
  return { status: 201, body: created(reference, paths, kept.invalidations.size) }
}

function isRefused(path: string, { refusals }: Kept): boolean {
  const left = refusals.get(path) ?? 0
  if (left > 0) refusals.set(path, left - 1)
  return left > 0
}

function created(reference: string, paths: readonly string[], n: number): string {
  const items = paths.map((path) => `<Path>${path}</Path>`).join('')
  return `<Invalidation xmlns="http://cloudfront.amazonaws.com/doc/2020-05-31/"><Id>I${n}</Id><Status>InProgress</Status>
<CreateTime>${new Date().toISOString()}</CreateTime><InvalidationBatch><Paths><Quantity>${paths.length}</Quantity><Items>${items}</Items></Paths>
<CallerReference>${reference}</CallerReference></InvalidationBatch></Invalidation>`
}

function refusal(status: number, code: string, message: string): Answer {
  return {
    status,
    body: `<ErrorResponse xmlns="http://cloudfront.amazonaws.com/doc/2020-05-31/"><Error><Type>Sender</Type><Code>${code}</Code>
<Message>${message}</Message></Error><RequestId>local</RequestId></ErrorResponse>`,
  }
}
