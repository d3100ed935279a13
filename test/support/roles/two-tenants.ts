/** Two tenants in one sealed schema: `bolt` with a job in every place, `acme` with a queue of the same name and one job. */
import type { ClaimedJob, Store } from 'holdfast/store'
import { expect } from 'vitest'
import { PRESENCE } from '../presence.js'
import type { World } from '../world.js'
import { type Login, login, sealedStore } from './sealed.js'

export interface TwoTenants {
  readonly store: World
  /** May call every verb and read every view, but acts for acme only. */
  readonly acme: Login
  /** Likewise, for bolt. */
  readonly bolt: Login
  readonly queue: number
  readonly jobs: Readonly<
    Record<'queued' | 'pending' | 'retrying' | 'errored' | 'failed' | 'untold' | 'paused', number>
  >
  readonly running: ClaimedJob
  readonly key: number
  readonly subject: number
  readonly alerts: Readonly<Record<'alert' | 'webhook' | 'delivery', number>>
  readonly schedule: number
  readonly bulk: number
  readonly view: number
}

const bolt = { tenant: 'bolt' }

export async function twoTenants(): Promise<TwoTenants> {
  const store = await sealedStore()
  const [one, other] = [await ableToCallAll(store, 'acme'), await ableToCallAll(store, 'bolt')]
  await one.enqueue({ queue: 'work', kind: 'own', key: 'k', input: { own: 1 } }, { tenant: 'acme' })
  const queue = await other.queues.create('work', {
    ...bolt,
    policy: { maxRetries: 1, externalTrigger: 'sqs' },
  })
  await other.queues.create('blocking', { ...bolt, preset: 'target' })

  const failed = await ended(other, 'work', { outcome: 'failed', retryable: false, error: new Error('no') })
  const retrying = await ended(other, 'work', { outcome: 'failed' })
  await ended(other, 'work', { outcome: 'parked' })
  const errored = await ended(other, 'blocking', { outcome: 'failed' }, 'shop-1')
  const paused = await ended(other, 'blocking', { outcome: 'released' }, 'shop-2')
  const running = await atWork(other)
  const { jobId: pending } = await other.enqueue({ queue: 'work', kind: 'k', pending: true }, bolt)
  const { jobId: queued } = await other.enqueue({ queue: 'work', kind: 'k', key: 'k' }, bolt)
  await leaveForOthers(store, failed)
  const key = await callServer(other)
  await other.queues.create('crawled', { ...bolt, preset: 'crawl' })
  const untold = await ended(other, 'crawled', { outcome: 'failed', retryable: false })
  const subject = await other.subjects.add({ queue: 'crawled', name: 'r/rust', kind: 'crawl', ...bolt })
  await other.kinds.declare([{ kind: 'declared', queue: 'work', maxRetries: 1 }], bolt)
  const schedule = await firedOnce(other, store)
  const alerts = await raiseAlert(store, other)
  const bulk = await halfDone(other, queued)
  const { id: view } = await other.savedViews.create({ ...bolt, name: 'own', q: 'state:failed' })
  await store.upkeep.countMinutes()
  // Everything has fallen due: the retry, and the lease.
  await store.clock.advance(3_600_000)
  const jobs = { queued, pending, retrying, errored, failed, untold, paused }
  return { store, acme: one, bolt: other, queue, jobs, running, key, subject, schedule, alerts, bulk, view }
}

/** More than any role has, so that what holds is the tenant and not a missing right. */
async function ableToCallAll(store: Store, tenant: string): Promise<Login> {
  const made = await login(store, ['producer', 'worker', 'operator'], [tenant])
  await store.database.script(`grant execute on all functions in schema ${store.schema} to ${made.user};
    grant select on ${store.schema}.api_keys, ${store.schema}.audit_log, ${store.schema}.tenants, ${store.schema}.schedules,
      ${store.schema}.firings, ${store.schema}.schedule_windows, ${store.schema}.webhooks, ${store.schema}.webhook_deliveries to ${made.user}`)
  return made
}

async function ended(
  user: Login,
  queue: string,
  ending: { outcome: 'failed' | 'released' | 'parked'; retryable?: boolean; error?: unknown },
  target?: string,
): Promise<number> {
  const { jobId } = await user.enqueue(
    { queue, kind: 'k', ...(target === undefined ? {} : { target }) },
    bolt,
  )
  const [job] = await user.work.claim({ worker: 'bolt-worker', queues: [queue], ...bolt })
  const [end] = await user.work.finish([{ ...(job as ClaimedJob), ...ending }])
  expect(end).toMatchObject({ jobId, accepted: true })
  return jobId
}

async function atWork(user: Login): Promise<ClaimedJob> {
  const { lease } = await user.work.openLease('bolt-worker', 30_000)
  await user.enqueue({ queue: 'work', kind: 'k' }, { ...bolt, idempotencyKey: 'once' })
  const [job] = await user.work.claim({ worker: 'bolt-worker', queues: ['work'], ...bolt, lease })
  expect(job, 'a job was due and nobody got it').toBeDefined()
  await user.work.heartbeat({ ...PRESENCE, worker: 'bolt-worker', queues: ['work'], ...bolt, busy: 1 })
  await user.work.report({ ...(job as ClaimedJob), items: [{ a: 1 }], cursor: 5 })
  return job as ClaimedJob
}

/** A schedule of bolt's that will be due, with a firing, and a maintenance window that will be over. */
async function firedOnce({ schedules }: Login, { clock }: World): Promise<number> {
  const { id } = await schedules.create(
    { name: 'often', queue: 'work', kind: 'k', expression: '@hourly' },
    bolt,
  )
  await schedules.run('often', bolt)
  await schedules.pauseAll({ ...bolt, until: new Date((await clock.now()).getTime() + 60_000) })
  return id
}

/** A key of bolt's, a call made with it, and the session of a browser that logged in with it. */
async function callServer({ database }: Login): Promise<number> {
  const [made] = await database.query<{ id: number }>(
    `select holdfast.create_key('bolt', 'own', decode(repeat('cd', 32), 'hex'), 'hf_cd', '{read}') as id`,
  )
  await database.query(`select holdfast.record_calls('[{"tenant": "bolt", "actor": "own", "operation": "createJob", "method": "POST",
    "path": "/api/v1/jobs", "status": 201, "request_id": "r"}]')`)
  await database.query(
    `select holdfast.open_web_session(decode(repeat('ce', 32), 'hex'), $1, null, '1 day', '7 days', 10)`,
    [made?.id],
  )
  return made?.id as number
}

/** A bulk operation that has a result, and that its process has left. */
async function halfDone({ bulk }: Login, jobId: number): Promise<number> {
  await bulk.start({ ...bolt, command: 'resume', q: 'state:queued' })
  const taken = await bulk.take('own')
  if (taken === undefined) throw new Error('no operation was taken')
  await bulk.apply(taken, 'own', [jobId], 'more')
  return taken.id
}

/** Bolt has its own idea of a rule, a webhook, and an alert that waits to be told. */
async function raiseAlert(store: World, { alerts, webhooks }: Login) {
  await alerts.setRule('depth', { threshold: 0, forSec: 0 }, bolt)
  const webhook = await webhooks.add({
    ...bolt,
    name: 'own',
    url: 'https://example.com/',
    secret: 's'.repeat(20),
    rules: ['depth'],
  })
  await store.alerts.check()
  const [told] = await webhooks.deliveries(webhook)
  return { alert: told?.alertId as number, webhook, delivery: told?.id as number }
}

/** What a chore would find: an arrival at a target, made again from a job that failed, a lane noted for later; and a row that may not be, for the view of those. */
async function leaveForOthers({ database }: Store, failed: number): Promise<void> {
  await database.query(
    `select holdfast.enqueue('work', 'k', '{}', '{"target": "t", "retry_of": ${failed}}', 'bolt')`,
  )
  await database.script(`
    insert into holdfast.lane (head, queue_id, target) select 0, id, 'u' from holdfast.queue where tenant = 'bolt' and name = 'work';
    insert into holdfast.lane_todo (lane, ended) select id, -1 from holdfast.lane where target = 'u';
    insert into holdfast.progress (job_id, result_count, last_progress_at) values (${failed}, 3, holdfast.now())`)
}

/** Everything bolt has, as its owner would see it. Workers' names and chores belong to nobody. */
export async function possessions({ database, schema }: Store): Promise<Record<string, unknown[]>> {
  const tables = await database.query<{ name: string }>(
    `select c.relname as name from pg_class c where c.relnamespace = $1::regnamespace and c.relkind in ('r', 'p')
       and not c.relispartition and c.relname not in ('worker', 'chore', 'chore_run', 'pinned_clock', 'partition', 'preset') order by 1`,
    [schema],
  )
  const found: Record<string, unknown[]> = {}
  for (const { name } of tables) {
    const rows = await database.query<{ row: unknown }>(
      `select to_jsonb(t) as row from holdfast.${name} t order by to_jsonb(t)::text`,
    )
    found[name] = rows.map(({ row }) => row)
  }
  return found
}
