// Holdfast as a contender: the steps a plan may name, each with connections of its own that are closed when it is done.
import { setTimeout as wait } from 'node:timers/promises'
import { PRESETS } from '../../dist/store.js'
import { answerPlan, byCallers, inBatches, tell, timed } from '../answer.js'
import { bareCreate, httpCreate } from '../http/create.js'
import { directCycle, httpCycle } from '../http/cycle.js'
import { barePullReport, httpPullReport } from '../http/pull-report.js'
import { drain } from './drain.js'
import { floorDrain } from './floor.js'
import { pickup } from './pickup.js'
import { cancel } from './runtime/cancel.js'
import { idleWorker } from './runtime/idle.js'
import { idlePickup } from './runtime/pickup.js'
import { recovery } from './runtime/recovery.js'
import { waiting } from './runtime/waiting.js'
import { work } from './runtime/work.js'
import { stages } from './stages.js'
import { verify } from './verify.js'
import { withStore } from './with-store.js'

const PARALLEL = 2

const queueNames = (count = 1) =>
  Array.from({ length: count }, (_, index) => (index === 0 ? 'bench' : `bench-${index}`))

function newJob(step, names, index) {
  const padding = step.payloadBytes ? { padding: 'x'.repeat(step.payloadBytes) } : {}
  const target = step.targets ? { target: `target-${index % step.targets}` } : {}
  return { queue: names[index % names.length], kind: 'noop', input: { n: index, ...padding }, ...target }
}

async function lookAround(store, { lease, seconds, pollMs, beatMs }) {
  const end = performance.now() + seconds * 1000
  let beatAt = performance.now() + beatMs
  let statements = 0
  while (performance.now() < end) {
    await store.work.claim({ worker: 'bench', lease, queues: ['bench'] })
    statements += 1
    if (performance.now() >= beatAt) {
      await store.work.renew([lease])
      statements += 1
      beatAt += beatMs
    }
    await wait(pollMs)
  }
  return statements
}

const steps = {
  prepare: (plan, { preset, policy, queues, sql = [] }) =>
    withStore(
      plan,
      1,
      async (store) => {
        for (const name of queueNames(queues)) {
          await store.queues.create(name, { ...(preset ? { preset } : {}), ...(policy ? { policy } : {}) })
        }
        for (const text of sql) await store.database.script(text)
      },
      { migrate: true },
    ),

  /** Whether this version knows a policy by that name. */
  knowsPolicy: (_plan, { name }) => ({ known: name in PRESETS.default }),

  bulk: (plan, step) =>
    withStore(plan, step.parallel ?? PARALLEL, (store) => {
      const names = queueNames(step.queues)
      return timed(step.jobs, () =>
        inBatches({ parallel: PARALLEL, ...step }, (from, to) =>
          store.enqueueMany(Array.from({ length: to - from }, (_, i) => newJob(step, names, from + i))),
        ),
      )
    }),

  concurrent: (plan, step) =>
    withStore(plan, 5, (store) =>
      timed(step.jobs, () =>
        byCallers(step, (n) => store.enqueue({ queue: 'bench', kind: 'noop', input: { n } })),
      ),
    ),

  drain: (plan, step) =>
    withStore(plan, step.lanes + 1, async (store) => {
      const queues = queueNames(step.queues)
      await store.queues.ids(queues)
      return timed(step.jobs, () => drain(store, { worker: 'bench', ...step, queues, onDone: tell }))
    }),

  // The same through the library, and what else is measured of it.
  work,
  idlePickup,
  waiting,
  recovery,
  cancel,
  idleWorker,

  // Through a server, and what each is compared with.
  httpCreate,
  bareCreate,
  httpPullReport,
  barePullReport,
  httpCycle,
  directCycle,

  floor: (plan, step) =>
    withStore(plan, 1, async (store) => {
      const [queueId] = await store.queues.ids(['bench'])
      const { lease } = await store.work.openLease('bench', 600_000)
      const [{ id: worker }] = await store.database.query('select id from holdfast.worker')
      return timed(step.jobs, () =>
        floorDrain({ ...step, url: plan.url, lease, worker, queueId, onDone: tell }),
      )
    }),

  stages: (plan, { jobs, batch }) =>
    withStore(plan, 1, (store) => stages(store, { url: plan.url, jobs, batch })),

  /** Many jobs at once, made by the engine's own verb inside the server: `options` are those of an enqueue. */
  fill: (plan, { jobs, options = {} }) =>
    withStore(plan, PARALLEL, (store) =>
      inBatches({ jobs, batch: 1_000, parallel: PARALLEL }, (from, to) =>
        store.database.query(
          `select count(*) from holdfast.enqueue_many((
             select jsonb_agg($3::text::jsonb || jsonb_build_object('queue', 'bench', 'kind', 'noop', 'input', jsonb_build_object('n', g)))
             from generate_series($1::int, $2::int - 1) g), p_settle => true)`,
          [from, to, JSON.stringify(options)],
          { deadlineMs: 60_000 },
        ),
      ),
    ),

  /** The one job that claims now fails for good, and its target waits for a person. */
  block: (plan) =>
    withStore(plan, 1, async (store) => {
      const { lease } = await store.work.openLease('bench', 30_000)
      const [job] = await store.work.claim({ worker: 'bench', lease, queues: ['bench'] })
      const { jobId, attempt } = job
      const [ended] = await store.work.finish([
        { jobId, attempt, lease, outcome: 'failed', retryable: false },
      ])
      await store.work.closeLease(lease)
      if (ended.state !== 'errored') throw new Error(`the head of the target is ${ended.state}, not errored`)
    }),

  settle: (plan) =>
    withStore(plan, 1, async (store) => {
      await store.database.query('vacuum (analyze)', [], { deadlineMs: 1_800_000 })
    }),

  pickup: (plan, step) =>
    withStore(plan, 6, (store) => pickup(store, { url: plan.url, queue: 'bench', count: step.count })),

  /** A worker with nothing to do: it looks for jobs and keeps its lease alive. */
  idle: (plan, { seconds, pollMs, beatMs }) =>
    withStore(plan, 1, async (store) => {
      const { lease } = await store.work.openLease('bench', 30_000)
      const position = async () => {
        const [row] = await store.database.query("select (pg_current_wal_insert_lsn() - '0/0')::bigint as at")
        return Number(row.at)
      }
      await store.work.claim({ worker: 'bench', lease, queues: ['bench'] })
      const before = await position()
      const statements = await lookAround(store, { lease, seconds, pollMs, beatMs })
      const walBytes = (await position()) - before
      await store.work.closeLease(lease)
      return { statements, walBytes }
    }),

  verify: (plan, step) => withStore(plan, 1, (store) => verify(store, step)),

  healthy: (plan) =>
    withStore(plan, 1, async (store) => {
      const violations = await store.read.violations()
      if (violations.length > 0)
        throw new Error(`the database is not healthy: ${JSON.stringify(violations[0])}`)
    }),
}

await answerPlan(steps)
