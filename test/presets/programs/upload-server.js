// A server of ours with a route of its own that takes uploads and calls another service, run by pipeline-metrics.slow.test.ts.

import { serverMetrics } from 'holdfast/metrics'
import { buildServer } from 'holdfast/server'
import { openStore } from 'holdfast/store'

const { url, schema, elsewhere } = JSON.parse(process.argv[2])
const store = await openStore({ url, schema })
const metrics = serverMetrics()
const app = buildServer(store, { loopback: true, metrics })

app.addContentTypeParser('image/png', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
app.post('/upload/:how', async (request) => {
  const stored = await metrics.measure
    .external('storage', 'put', async () => {
      const answer = await fetch(`${elsewhere}/${request.params.how}`, { method: 'PUT', body: request.body })
      if (!answer.ok) throw Object.assign(new Error('it does not want it'), { code: `HTTP_${answer.status}` })
      return true
    })
    .catch(() => false)
  return { stored }
})

console.log(JSON.stringify({ listening: await app.listen({ port: 0, host: '127.0.0.1' }) }))
process.on('SIGTERM', () => void app.close().then(() => store.close()))
