// Holdfast with a queue of leads to harvest, on an embedded database (or DATABASE_URL) and a port of this machine.
import { holdfast } from 'holdfast'
import { buildServer } from 'holdfast/server'

const [site = 'http://127.0.0.1:8090', port = '8080'] = process.argv.slice(2)
const { HOLDFAST_SCHEMA: schema } = process.env

const app = await holdfast({
  migrate: true,
  queues: { leads: { preset: 'harvest' } },
  ...(schema === undefined ? {} : { schema }),
})
const harvest = await app.store.enqueueMany(
  ['Riga', 'Liepaja', 'Ventspils', 'gone'].map((city) => ({
    queue: 'leads',
    kind: 'harvest',
    input: { site, city },
  })),
)
const server = buildServer(app.store, { loopback: true })
console.log(await server.listen({ port: Number(port), host: '127.0.0.1' }))
console.log(`${harvest.length} jobs wait in the queue "leads"`)

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    await server.close()
    await app.stop()
  })
}
