/** Demo steps that enqueue jobs: in a batch, inside a transaction of the caller, and at most once by key. */

import type { Session } from '../../database/database.js'
import { HoldfastError } from '../../domain/errors/errors.js'
import { type DemoRun, idsText } from './show.js'
import { QUEUE } from './worker.js'

const MAILS = 6

const ENQUEUE_IN_SQL = `select holdfast.enqueue('${QUEUE}', 'receipt', jsonb_build_object('order_id', $1::int)) as id`

export async function enqueueJobs({ store, stage }: DemoRun): Promise<number[]> {
  await stage.step('Jobs are accepted')
  const mails = await store.enqueueMany(
    Array.from({ length: MAILS }, (_, n) => ({
      queue: QUEUE,
      kind: 'welcome-mail',
      input: { customer: n + 1 },
    })),
  )
  const mailIds = mails.map(({ jobId }) => jobId)
  stage.fact('good', `${idsText(mailIds)}: ${MAILS} welcome mails in one call, committed when it returns`)

  const receipt = await store.database.transaction(orderWithReceipt)
  stage.fact('good', `#${receipt.jobId}: a receipt, in the transaction of its order, from plain SQL:`)
  stage.quote(`begin;
insert into demo.orders (item) values ('kettle') returning id;
select holdfast.enqueue('${QUEUE}', 'receipt', …);
commit;`)

  const undone = await rolledBack(store.database)
  stage.fact('good', 'the same, but rolled back: no order, and no job either')
  stage.record('enqueue', { jobIds: mailIds })
  stage.record('transaction', { committed: receipt, rolledBack: undone })
  return [...mailIds, receipt.jobId]
}

async function orderWithReceipt(session: Session): Promise<{ orderId: number; jobId: number }> {
  const [order] = await session.query<{ id: number }>(
    "insert into demo.orders (item) values ('kettle') returning id",
  )
  const [job] = await session.query<{ id: number }>(ENQUEUE_IN_SQL, [order?.id])
  return { orderId: order?.id as number, jobId: job?.id as number }
}

/** Queries the database after the rollback, so that the demo shows facts. */
async function rolledBack(database: DemoRun['store']['database']): Promise<{ orders: number; jobs: number }> {
  const undo = new Error('rolled back on purpose')
  let made = { orderId: 0, jobId: 0 }
  await database
    .transaction(async (session) => {
      made = await orderWithReceipt(session)
      throw undo
    })
    .catch((error: unknown) => {
      if (error !== undo) throw error
    })
  const [left] = await database.query<{ orders: number; jobs: number }>(
    `select (select count(*) from demo.orders where id = $1) as orders, (select count(*) from holdfast.job where id = $2) as jobs`,
    [made.orderId, made.jobId],
  )
  if (left === undefined || left.orders + left.jobs > 0)
    throw new HoldfastError('internal', { problem: 'a rollback left something behind' })
  return left
}

export async function enqueueOnce({ store, stage }: DemoRun): Promise<number> {
  await stage.step('A key makes a job at most once')
  const job = { queue: QUEUE, kind: 'nightly-report', key: 'report:today' }
  const first = await store.enqueue(job)
  const again = await store.enqueue(job)
  stage.fact('good', `#${first.jobId}: nightly-report with key report:today`)
  stage.fact('good', `asked for again: #${again.jobId} is the answer, nothing new was made`)
  stage.record('dedup', { first, again })
  return first.jobId
}
