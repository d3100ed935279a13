// A Fastify plugin that enqueues jobs from routes, mounts the dashboard and stops with the server.
// Use it for a Fastify app: `server.close()` completes requests, then jobs, then closes the connections.
// Run it: npm run example -- recipes/fastify-plugin   (then: curl -X POST localhost:3000/orders/kettle)
import Fastify, { type FastifyInstance } from 'fastify'
import { type App, defineJob, holdfast } from 'holdfast'
import { dashboard, nodeListener } from 'holdfast/dashboard'

declare module 'fastify' {
  interface FastifyInstance {
    jobs: App
  }
}

const ship = defineJob({
  kind: 'ship',
  queue: 'orders',
  handler: async (_ctx, { item }: { item: string }) => console.log(`${item} shipped`),
})

/** Call it on the root instance: `server.jobs` is then in every plugin that is registered later. */
async function addJobs(server: FastifyInstance): Promise<void> {
  const app = await holdfast({ migrate: true, jobs: [ship] })
  server.decorate('jobs', app)
  // Fastify runs this when it takes no more requests and those under way have their answers.
  server.addHook('onClose', () => app.stop({ graceMs: 30_000 }))
  await app.work()
}

/** The dashboard with its HTTP API, behind a login of yours. */
async function addDashboard(server: FastifyInstance, prefix: string): Promise<void> {
  const pages = dashboard(server.jobs, { basePath: prefix, readOnly: true })
  // Live streams never end by themselves, and would keep the server from closing.
  server.addHook('preClose', () => pages.close())
  await server.register(
    async (scope) => {
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser('*', (_request, _body, done) => done(null))
      scope.all('/*', (request, reply) => {
        reply.hijack()
        void nodeListener(pages)(request.raw, reply.raw)
      })
    },
    { prefix },
  )
}

const server = Fastify()
await addJobs(server)
await addDashboard(server, '/ops/jobs')
server.post<{ Params: { item: string } }>('/orders/:item', async ({ params }, reply) => {
  const job = await server.jobs.enqueue(ship, { item: params.item })
  return reply.code(202).send({ job: job.id })
})
console.log(await server.listen({ port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' }))

// Ctrl-C can arrive twice, because npm passes it on as well: the second one must not kill this process.
await new Promise((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, resolve)
})
await server.close()
console.log('stopped')
