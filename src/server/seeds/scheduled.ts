/** Scheduled crawls of document 001: schedules whose queue is one of the preset `crawl`. Every other schedule is not there. */

import { scheduledContract } from '../../contract/seeds-scheduled.js'
import { holdfastError } from '../../domain/errors.js'
import type { ScheduleFields } from '../../domain/schedule/definition.js'
import type { Schedule } from '../../store/schedule-reads.js'
import type { Store } from '../../store/store.js'
import { type Call, routes } from '../route.js'
import { queuesOf } from './words.js'

/** What the document's jobs are called, and the queue that is made for them where the tenant has none of the preset. */
const CRAWL = 'crawl'

type Asked = Pick<Call, 'store' | 'tenant'>

async function crawlQueues({ store, tenant }: Asked): Promise<string[]> {
  const queues = await queuesOf({ store, tenant, preset: 'crawl', queue: undefined })
  return queues.map(({ name }) => name)
}

async function scheduleOf(call: Asked & { readonly params: { readonly id: number } }): Promise<Schedule> {
  const [found, queues] = await Promise.all([call.store.schedules.byId(call.params.id), crawlQueues(call)])
  if (found !== undefined && found.tenant === call.tenant && queues.includes(found.queue)) return found
  throw holdfastError('unknown_schedule', { schedule: call.params.id })
}

/** The queue the call names, the only one of the preset, or a new one. */
async function queueFor(store: Store, tenant: string, named: string | undefined): Promise<string> {
  const queues = await queuesOf({ store, tenant, preset: 'crawl', queue: named })
  const [queue, another] = queues
  if (queue !== undefined && queue.preset !== 'crawl')
    throw holdfastError('unknown_queue', { queue: queue.name })
  if (another !== undefined)
    throw holdfastError('invalid_input', {
      path: '/queue',
      problem: `must be said, because there are several: ${queues.map(({ name }) => name).join(', ')}`,
    })
  if (queue !== undefined) return queue.name
  await store.queues.create(CRAWL, { preset: 'crawl', tenant, ifMissing: true })
  return CRAWL
}

interface Said {
  readonly description?: string | null | undefined
  readonly subreddit_id?: string | number | null | undefined
  readonly cron_expression?: string | undefined
  readonly enabled?: boolean | undefined
  readonly priority?: number | undefined
}

/** In the library's words; what was not said is left out. */
function fieldsOf({
  description,
  subreddit_id: id,
  cron_expression,
  enabled,
  priority,
}: Said): Partial<ScheduleFields> {
  const said = {
    description,
    subject: id === undefined || id === null ? id : String(id),
    expression: cron_expression,
    enabled,
    priority,
    // A crawl is told what to crawl.
    input: id === undefined ? undefined : { subreddit_id: id },
  }
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined))
}

function scheduledView(row: Schedule) {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    subreddit_id: row.subject !== null && /^\d{1,15}$/.test(row.subject) ? Number(row.subject) : row.subject,
    cron_expression: row.expression,
    enabled: row.enabled,
    last_run_at: row.lastRunAt?.toISOString() ?? null,
    next_run_at: row.nextRunAt.toISOString(),
    priority: row.priority,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    created_by: row.createdBy,
  }
}

export const scheduledRoutes = routes<typeof scheduledContract>(scheduledContract, {
  scheduledJobs: async (call) => {
    const { limit, offset } = call.query
    const queues = await crawlQueues(call)
    const rows = await call.store.schedules.inQueues(queues, { tenant: call.tenant, limit, offset })
    return { status: 200, body: { scheduled_jobs: rows.map(scheduledView), limit, offset } }
  },

  createScheduledJob: async ({ store, tenant, act, query, body, server }) => {
    const fields = fieldsOf(body)
    await server.intake.admitInput(tenant, fields.input)
    const queue = await queueFor(store, tenant, query.queue)
    const { name, cron_expression: expression } = body
    const made = await store.schedules.create(
      // The document's own default.
      { priority: 0, ...fields, name, kind: CRAWL, queue, expression },
      { tenant, ...act },
    )
    return { status: 201, body: scheduledView(made) }
  },

  getScheduledJob: async (call) => ({ status: 200, body: scheduledView(await scheduleOf(call)) }),

  updateScheduledJob: async (call) => {
    const { store, tenant, act, body, server } = call
    const { name } = await scheduleOf(call)
    const fields = fieldsOf(body)
    if (fields.input !== undefined) await server.intake.admitInput(tenant, fields.input)
    const renamed = body.name === undefined ? {} : { name: body.name }
    const changed = await store.schedules.update(name, { ...fields, ...renamed }, { tenant, ...act })
    return { status: 200, body: scheduledView(changed) }
  },

  deleteScheduledJob: async (call) => {
    const { name } = await scheduleOf(call)
    await call.store.schedules.delete(name, { tenant: call.tenant, ...call.act })
    return { status: 204, body: undefined }
  },

  toggleScheduledJob: async (call) => {
    const { name, enabled } = await scheduleOf(call)
    const changed = await call.store.schedules.update(
      name,
      { enabled: call.body?.enabled ?? !enabled },
      { tenant: call.tenant, ...call.act },
    )
    return { status: 200, body: scheduledView(changed) }
  },
})
