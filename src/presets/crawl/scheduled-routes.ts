/** Scheduled crawls of the crawl preset: schedules whose queue has the preset `crawl`. Every other schedule is unknown here. */

import { HoldfastError, holdfastError } from '../../domain/errors/errors.js'
import type { ScheduleFields } from '../../domain/schedule/definition.js'
import { type Call, routes } from '../../server/http/route.js'
import type { Schedule } from '../../store/schedules/schedule-reads.js'
import type { Store } from '../../store/store.js'
import { queuesInScope } from '../preset-scope.js'
import { pageLimit } from './page-limit.js'
import { scheduledContract } from './scheduled-contract.js'

/** The kind of these jobs, and the name of the queue that is created if the tenant has none with the preset. */
const CRAWL = 'crawl'

type TenantCall = Pick<Call, 'store' | 'tenant'>

async function crawlQueues({ store, tenant }: TenantCall): Promise<string[]> {
  const queues = await queuesInScope({ store, tenant, preset: 'crawl', queue: undefined })
  return queues.map(({ name }) => name)
}

async function scheduleOf(
  call: TenantCall & { readonly params: { readonly id: number } },
): Promise<Schedule> {
  const [found, queues] = await Promise.all([call.store.schedules.byId(call.params.id), crawlQueues(call)])
  if (found !== undefined && found.tenant === call.tenant && queues.includes(found.queue)) return found
  throw holdfastError('unknown_schedule', { schedule: call.params.id })
}

/** The queue named in the call, the only one with the preset, or a new one; never one of another preset. */
async function queueFor(store: Store, tenant: string, name: string | undefined): Promise<string> {
  if (name !== undefined) return (await store.queues.ensure(name, 'crawl', { tenant })).name
  const queues = await queuesInScope({ store, tenant, preset: 'crawl', queue: undefined })
  const [queue, another] = queues
  if (another !== undefined)
    throw holdfastError('invalid_input', {
      path: '/queue',
      problem: `is required, because there are several: ${queues.map(({ name }) => name).join(', ')}`,
    })
  if (queue !== undefined) return queue.name
  return (await store.queues.ensure(CRAWL, 'crawl', { tenant })).name
}

interface ScheduledJobBody {
  readonly description?: string | null | undefined
  readonly subreddit_id?: string | number | null | undefined
  readonly cron_expression?: string | undefined
  readonly enabled?: boolean | undefined
  readonly priority?: number | undefined
}

/** The fields of a schedule; those not given are left out. */
function fieldsOf({
  description,
  subreddit_id: id,
  cron_expression,
  enabled,
  priority,
}: ScheduledJobBody): Partial<ScheduleFields> {
  const fields = {
    description,
    subject: id === undefined || id === null ? id : String(id),
    expression: cron_expression,
    enabled,
    priority,
    // The handler of a crawl reads the subreddit from its input.
    input: id === undefined ? undefined : { subreddit_id: id },
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

/** A refused expression is reported at the field that was sent. */
function atSentField(error: unknown): never {
  if (
    error instanceof HoldfastError &&
    error.code === 'invalid_input' &&
    error.details.path === '/expression'
  )
    throw holdfastError('invalid_input', { ...error.details, path: '/cron_expression' })
  throw error
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
    const { offset } = call.query
    const { limit, headers } = pageLimit(call.query.limit)
    const queues = await crawlQueues(call)
    const rows = await call.store.schedules.inQueues(queues, { tenant: call.tenant, limit, offset })
    return { status: 200, headers, body: { scheduled_jobs: rows.map(scheduledView), limit, offset } }
  },

  createScheduledJob: async ({ store, tenant, act, query, body, server }) => {
    const fields = fieldsOf(body)
    await server.intake.admitInput(tenant, fields.input)
    const queue = await queueFor(store, tenant, query.queue)
    const { name, cron_expression: expression } = body
    const created = await store.schedules
      // Other schedules leave the priority to the kind; a scheduled crawl has 0 unless it is given.
      .create({ priority: 0, ...fields, name, kind: CRAWL, queue, expression }, { tenant, ...act })
      .catch(atSentField)
    return { status: 201, body: scheduledView(created) }
  },

  getScheduledJob: async (call) => ({ status: 200, body: scheduledView(await scheduleOf(call)) }),

  updateScheduledJob: async (call) => {
    const { store, tenant, act, body, server } = call
    const { name } = await scheduleOf(call)
    const fields = fieldsOf(body)
    if (fields.input !== undefined) await server.intake.admitInput(tenant, fields.input)
    const renamed = body.name === undefined ? {} : { name: body.name }
    const changed = await store.schedules
      .update(name, { ...fields, ...renamed }, { tenant, ...act })
      .catch(atSentField)
    return { status: 200, body: scheduledView(changed) }
  },

  deleteScheduledJob: async (call) => {
    const { name } = await scheduleOf(call)
    await call.store.schedules.remove(name, { tenant: call.tenant, ...call.act })
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
