/** Schedules: change them, run them, preview and explain their slots; maintenance windows. */
import { fromWire, toWire } from '../../contract/case.js'
import { schedule, schedulesContract } from '../../contract/schedules.js'
import type { NewSchedule, ScheduleFields } from '../../domain/schedule/definition.js'
import { snake } from '../../json/case.js'
import type { Schedule } from '../../store/schedules/schedule-reads.js'
import type { Redact } from '../access/redact.js'
import { numberFrom, paged, textFrom } from '../http/page-token.js'
import { routes } from '../http/route.js'
import { only } from './views.js'

export const scheduleRoutes = routes<typeof schedulesContract>(schedulesContract, {
  listSchedules: async ({ store, tenant, query, server }) => {
    const { page_size: size, page_token } = query
    const rows = await store.schedules.list({ tenant, after: textFrom(page_token) ?? '', limit: size + 1 })
    const { page, next_page_token } = paged(rows, size, (row) => row.name)
    return {
      status: 200,
      body: { schedules: page.map((row) => scheduleView(row, server.redact)), next_page_token },
    }
  },

  createSchedule: async ({ store, tenant, act, body, server }) => {
    const { reason: _reason, ...fields } = body
    await server.intake.admitInput(tenant, fields.input)
    const created = await store.schedules.create(fromWire<NewSchedule>(fields), { tenant, ...act })
    return { status: 201, body: scheduleView(created, server.redact) }
  },

  getSchedule: async ({ store, tenant, params, server }) => ({
    status: 200,
    body: scheduleView(await store.schedules.get(params.name, { tenant }), server.redact),
  }),

  updateSchedule: async ({ store, tenant, act, params, body, server }) => {
    const { reason: _reason, ...fields } = body
    if (fields.input !== undefined) await server.intake.admitInput(tenant, fields.input)
    const changed = await store.schedules.update(params.name, fromWire<Partial<ScheduleFields>>(fields), {
      tenant,
      ...act,
    })
    return { status: 200, body: scheduleView(changed, server.redact) }
  },

  removeSchedule: async ({ store, tenant, act, params }) => {
    await store.schedules.remove(params.name, { tenant, ...act })
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
    // The job counts against the limits of the tenant like any other.
    const { queue, kind, input } = await store.schedules.get(params.name, { tenant })
    await server.intake.admit(tenant, [{ queue, kind, input }])
    return { status: 200, body: toWire(await store.schedules.run(params.name, { tenant, ...act })) }
  },

  previewSchedule: async ({ store, tenant, params, query }) => ({
    status: 200,
    body: { slots: isoTimes(await store.schedules.preview(params.name, query.count, { tenant })) },
  }),

  scheduleHistory: async ({ store, tenant, params, query }) => {
    const { page_size: size, page_token } = query
    const before = numberFrom(page_token)
    const rows = await store.schedules.history(params.name, {
      tenant,
      limit: size + 1,
      ...(before === undefined ? {} : { before }),
    })
    const { page, next_page_token } = paged(rows, size, ({ id }) => id)
    return { status: 200, body: { firings: page.map((row) => toWire(row)), next_page_token } }
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
    body: {
      slots: isoTimes(await store.schedules.previewOf(query.expression, query.time_zone, query.count)),
    },
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

const wireFields = only(schedule)
const isoTimes = (slots: readonly Date[]) => slots.map((slot) => slot.toISOString())

function scheduleView(row: Schedule, redact: Redact) {
  const view = wireFields(row)
  const declared =
    row.declared === null
      ? null
      : toWire<Record<string, unknown>>({ ...row.declared, input: redact(row.declared.input) })
  // `overrides` lists names of fields, so they are those of the API.
  return { ...view, declared, overrides: row.overrides.map(snake), input: redact(view.input) }
}
