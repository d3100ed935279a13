// A CloudFront for one machine: it takes invalidations, as the SDK signs and writes them, and refuses what Amazon would refuse.
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'

const SIGNED =
  /^AWS4-HMAC-SHA256 Credential=\w+\/\d{8}\/[a-z0-9-]+\/cloudfront\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=[0-9a-f]{64}$/
const PATH = /^\/2020-05-31\/distribution\/(\w+)\/invalidation$/

/** Keeps what was asked for: `{ distribution, reference, paths }`, once for each reference. */
export async function startCdn() {
  const invalidations = new Map()
  const server = createServer(async (request, response) => {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const { status, body } = answer(request, Buffer.concat(chunks).toString(), invalidations)
    response
      .writeHead(status, { 'content-type': 'text/xml' })
      .end(`<?xml version="1.0" encoding="UTF-8"?>\n${body}`)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    endpoint: `http://127.0.0.1:${server.address().port}`,
    invalidations: () => [...invalidations.values()],
    stop: () => new Promise((resolve) => server.close(resolve)),
  }
}

function answer({ method, url, headers }, body, invalidations) {
  const signed = SIGNED.exec(headers.authorization ?? '')
  if (signed === null || !signed[1].split(';').includes('host'))
    return refusal(403, 'MissingAuthenticationToken', 'the request is not signed')
  const hash = createHash('sha256').update(body).digest('hex')
  if (headers['x-amz-content-sha256'] !== hash)
    return refusal(403, 'SignatureDoesNotMatch', 'what was signed is not what came')
  const distribution = PATH.exec(url)?.[1]
  if (method !== 'POST' || distribution === undefined) return refusal(404, 'NoSuchDistribution', url)
  const reference = /<CallerReference>([^<]+)<\/CallerReference>/.exec(body)?.[1]
  const paths = [...body.matchAll(/<Path>([^<]+)<\/Path>/g)].map(([, path]) => path)
  const quantity = Number(/<Quantity>(\d+)<\/Quantity>/.exec(body)?.[1])
  if (
    reference === undefined ||
    paths.length === 0 ||
    paths.length !== quantity ||
    !paths.every((each) => each.startsWith('/'))
  )
    return refusal(400, 'InvalidArgument', 'an invalidation has a reference and as many paths as it says')
  // A reference that was used is the same invalidation again.
  if (!invalidations.has(reference)) invalidations.set(reference, { distribution, reference, paths })
  return { status: 201, body: created(reference, paths, invalidations.size) }
}

function created(reference, paths, n) {
  const items = paths.map((path) => `<Path>${path}</Path>`).join('')
  return `<Invalidation xmlns="http://cloudfront.amazonaws.com/doc/2020-05-31/"><Id>I${n}</Id><Status>InProgress</Status>
<CreateTime>${new Date().toISOString()}</CreateTime><InvalidationBatch><Paths><Quantity>${paths.length}</Quantity><Items>${items}</Items></Paths>
<CallerReference>${reference}</CallerReference></InvalidationBatch></Invalidation>`
}

function refusal(status, code, message) {
  return {
    status,
    body: `<ErrorResponse xmlns="http://cloudfront.amazonaws.com/doc/2020-05-31/"><Error><Type>Sender</Type><Code>${code}</Code>
<Message>${message}</Message></Error><RequestId>local</RequestId></ErrorResponse>`,
  }
}
