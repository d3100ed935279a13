// What somebody would write who has Fastify, a pool and SQL, and nothing else: no key is asked for, nothing is checked, nobody keeps who
// called. Routes: one INSERT for a job; the verbs of a pull and of a report, sent as our store sends them.
import Fastify from 'fastify'
import pg from 'pg'

const { url, pool: max = 10, prepared = false, queueId } = JSON.parse(process.argv[2])
process.on('disconnect', () => process.exit(1))
process.on('SIGTERM', () => process.exit(0))

const pool = new pg.Pool({ connectionString: url, max })
const rows = async (name, text, values) =>
  (await pool.query(prepared ? { name, text, values } : { text, values })).rows

const app = Fastify({ logger: false })

const INSERT = 'insert into bare_job (queue, kind, input) values ($1, $2, $3) returning id'
app.post('/jobs', async ({ body }, reply) => {
  const [{ id }] = await rows('insert', INSERT, [body.queue, body.kind, body.input])
  reply.code(201)
  return { id: Number(id) }
})

const CLAIM = `select job_id, queue_id, kind, input, created_at, rest
  from holdfast.claim_batch($1, null, $2::int[], 1, null, array[null]::smallint[], array[null]::bigint[])`
app.post('/pull', async ({ body }, reply) => {
  const [job] = await rows('claim', CLAIM, [body.worker_id, [queueId]])
  if (job === undefined) return reply.code(204).send()
  const { attempt, lease } = job.rest
  return { job_id: Number(job.job_id), lease_token: `${attempt}.${lease}`, input: job.input }
})

const REPORT = `select accepted, done, done_reason, new_items, duplicate_items, progress_count, result_count, tokens_used, token_limit,
    cancel_requested, expires_at
  from holdfast.report($1, $2, $3, $4::text::jsonb, null, null, 0, null, $5)`
app.post('/report', async ({ body }) => {
  const [attempt, lease] = body.lease_token.split('.')
  const [told] = await rows('report', REPORT, [
    body.job_id,
    attempt,
    lease,
    JSON.stringify(body.items),
    body.done,
  ])
  return told
})

await app.listen({ host: '127.0.0.1', port: 0 })
process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${app.server.address().port}` })}\n`)
