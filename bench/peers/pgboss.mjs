// pg-boss as a contender: the documented loop of fetch(batchSize) and complete(ids), several loops at once. A completed job
// stays as a row; there are no attempt rows, and complete by id is not fenced.
import pg from 'pg'
import { PgBoss } from 'pg-boss'
import { answerPlan, byCallers, inBatches, tell, timed } from '../answer.js'
import { onlooker, Stopwatch } from '../stopwatch.js'

const QUEUE = 'bench'

/** Its maintenance is left out of the measurement, which is in its favour. */
async function withBoss({ url }, max, work) {
  const boss = new PgBoss({ connectionString: url, max, supervise: false, schedule: false })
  boss.on('error', (error) => console.error(error))
  await boss.start()
  try {
    return await work(boss)
  } finally {
    await boss.stop({ graceful: false })
  }
}

function newJob(step, n) {
  const padding = step.payloadBytes ? { padding: 'x'.repeat(step.payloadBytes) } : {}
  return { data: { n, ...padding } }
}

const steps = {
  prepare: (plan, { partition = false }) =>
    withBoss(plan, 2, (boss) => boss.createQueue(QUEUE, partition ? { partition } : {})),

  bulk: (plan, step) =>
    withBoss(plan, step.parallel + 1, (boss) =>
      timed(step.jobs, () =>
        inBatches(step, (from, to) =>
          boss.insert(
            QUEUE,
            Array.from({ length: to - from }, (_, i) => newJob(step, from + i)),
          ),
        ),
      ),
    ),

  concurrent: (plan, step) =>
    withBoss(plan, step.pool, (boss) =>
      timed(step.jobs, () => byCallers(step, (n) => boss.send(QUEUE, { n }))),
    ),

  drain: (plan, { jobs, batch, loops }) =>
    withBoss(plan, loops + 1, (boss) =>
      timed(jobs, async () => {
        let done = 0
        const loop = async () => {
          for (;;) {
            const fetched = await boss.fetch(QUEUE, { batchSize: batch })
            if (fetched.length === 0) return
            await boss.complete(
              QUEUE,
              fetched.map(({ id }) => id),
            )
            done += fetched.length
            tell(done)
          }
        }
        await Promise.all(Array.from({ length: loops }, loop))
        if (done !== jobs) throw new Error(`${done} jobs ran instead of ${jobs}`)
      }),
    ),

  /** Its work(): with batches, and fetching on without a pause while they come back full. */
  async work({ url }, { jobs, settings = {}, loops = 1 }) {
    const watch = new Stopwatch(jobs)
    const client = await onlooker(url)
    const boss = new PgBoss({ connectionString: url, max: loops + 1, supervise: false, schedule: false })
    boss.on('error', (error) => console.error(error))
    await boss.start()
    await boss.work(QUEUE, settings, async (batch) => watch.count(batch.length))
    watch.ready()
    await watch.untilWritten(client, `select from pgboss.job where name = '${QUEUE}' and state < 'completed'`)
    await boss.stop({ graceful: false })
    await client.end()
    return watch.result()
  },

  async verify({ url }, { finished, waiting }) {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query(
      `select count(*) filter (where state = 'completed' and retry_count = 0)::int as finished,
         count(*) filter (where state = 'created')::int as waiting, count(*)::int as jobs
       from pgboss.job where name = $1`,
      [QUEUE],
    )
    await client.end()
    const [found] = rows
    if (found.finished !== finished || found.waiting !== waiting || found.jobs !== finished + waiting)
      throw new Error(`the rows are wrong after the sample: ${JSON.stringify(found)}`)
  },
}

await answerPlan(steps)
