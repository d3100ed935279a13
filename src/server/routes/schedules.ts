import { fromWire, toWire } from '../../contract/case.js'
import { schedule, schedulesContract } from '../../contract/schedules.js'
import { snake } from '../../domain/case.js'
import type { NewSchedule, ScheduleFields } from '../../domain/schedule/definition.js'
import type { Schedule } from '../../store/schedule-reads.js'
import { numberFrom, paged, textFrom } from '../page-token.js'
import type { Redact } from '../redact.js'
import { routes } from '../route.js'
import { only } from '../views.js'

export const scheduleRoutes = routes<typeof schedulesContract>(schedulesContract, {
  listSchedules: async ({ store, tenant, query, server }) => {
    const { page_size: size, page_token } = query
    const rows = await store.schedules.list({ tenant, after: textFrom(page_token) ?? '', limit: size + 1 })
    const { shown, next_page_token } = paged(rows, size, (row) => row.name)
    return {
      status: 200,
      body: { schedules: shown.map((row) => scheduleView(row, server.redact)), next_page_token },
    }
  },

  createSchedule: async ({ store, tenant, act, body, server }) => {
    const { reason: _reason, ...said } = body
    await server.intake.admitInput(tenant, said.input)
    const made = await store.schedules.create(fromWire<NewSchedule>(said), { tenant, ...act })
    return { status: 201, body: scheduleView(made, server.redact) }
  },

  getSchedule: async ({ store, tenant, params, server }) => ({
    status: 200,
    body: scheduleView(await store.schedules.get(params.name, { tenant }), server.redact),
  }),

  updateSchedule: async ({ store, tenant, act, params, body, server }) => {
    const { reason: _reason, ...said } = body
    if (said.input !== undefined) await server.intake.admitInput(tenant, said.input)
    const changed = await store.schedules.update(params.name, fromWire<Partial<ScheduleFields>>(said), {
      tenant,
      ...act,
    })
    return { status: 200, body: scheduleView(changed, server.redact) }
  },

  deleteSchedule: async ({ store, tenant, act, params }) => {
    await store.schedules.delete(params.name, { tenant, ...act })
    return { status: 204, body: undefined }
  },

  resetSchedule: async ({ store, tenant, act, params, server }) => ({
    status: 200,
    body: scheduleView(await store.schedules.reset(params.name, { tenant, ...act }), server.redact),
  }),

  pauseSchedule: async ({ store, tenant, act, params: { name } }) => ({
    status: 200,
    body: { name, changed: await store.schedules.pause(name, { tenant, ...act }) },
  }),

  resumeSchedule: async ({ store, tenant, act, params: { name } }) => ({
    status: 200,
    body: { name, changed: await store.schedules.resume(name, { tenant, ...act }) },
  }),

  runSchedule: async ({ store, tenant, act, params, server }) => {
    // A job that somebody asks for here comes in as every other does.
    const { queue, kind, input } = await store.schedules.get(params.name, { tenant })
    await server.intake.admit(tenant, [{ queue, kind, input }])
    return { status: 200, body: toWire(await store.schedules.run(params.name, { tenant, ...act })) }
  },

  previewSchedule: async ({ store, tenant, params, query }) => ({
    status: 200,
    body: { slots: texts(await store.schedules.preview(params.name, query.count, { tenant })) },
  }),

  scheduleHistory: async ({ store, tenant, params, query }) => {
    const { page_size: size, page_token } = query
    const before = numberFrom(page_token)
    const rows = await store.schedules.history(params.name, {
      tenant,
      limit: size + 1,
      ...(before === undefined ? {} : { before }),
    })
    const { shown, next_page_token } = paged(rows, size, ({ id }) => id)
    return { status: 200, body: { firings: shown.map((row) => toWire(row)), next_page_token } }
  },

  explainSchedule: async ({ store, tenant, params }) => {
    const reasons = await store.schedules.explain(params.name, { tenant })
    return {
      status: 200,
      body: { reasons: reasons.map((reason) => ({ ...reason, data: toWire(reason.data) })) },
    }
  },

  previewExpression: async ({ store, query }) => ({
    status: 200,
    body: { slots: texts(await store.schedules.previewOf(query.expression, query.time_zone, query.count)) },
  }),

  getMaintenance: async ({ store, tenant }) => ({
    status: 200,
    body: toWire(await store.schedules.maintenance({ tenant })),
  }),

  openMaintenance: async ({ store, tenant, act, body }) => {
    const until = body?.until
    await store.schedules.pauseAll({
      tenant,
      ...act,
      ...(until === undefined ? {} : { until: new Date(until) }),
    })
    return { status: 200, body: toWire(await store.schedules.maintenance({ tenant })) }
  },

  closeMaintenance: async ({ store, tenant, act }) => ({
    status: 200,
    body: { changed: await store.schedules.resumeAll({ tenant, ...act }) },
  }),
})

const fields = only(schedule)
const texts = (slots: readonly Date[]) => slots.map((slot) => slot.toISOString())

function scheduleView(row: Schedule, redact: Redact) {
  const view = fields(row)
  const { declared: said } = row
  const declared =
    said === null ? null : toWire<Record<string, unknown>>({ ...said, input: redact(said.input) })
  // Names of fields are those of the wire also where they are values.
  return { ...view, declared, overrides: row.overrides.map(snake), input: redact(view.input) }
}
