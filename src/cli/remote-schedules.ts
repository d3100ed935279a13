/** The schedules of a server, in the place of those of a database. */
import { type Calls, received } from '../client/calls.js'
import { fromWire, toWire } from '../contract/case.js'
import type { Act } from '../store/operate.js'

type Whose = Act & { readonly tenant?: string }

export function remoteSchedules(calls: Calls) {
  const of = (name: string) => ({ params: { name } })
  const saying = (name: string, { reason }: Whose) => ({
    ...of(name),
    body: reason === undefined ? {} : { reason },
  })
  return {
    list: async ({ after = '', limit = 500 }: { after?: string; limit?: number } = {}) => {
      const { schedules } = await calls.call('GET', '/api/v1/schedules', { query: { page_size: limit } })
      return schedules.filter(({ name }) => name > after).map(dated)
    },
    get: async (name: string) => dated(await calls.call('GET', '/api/v1/schedules/{name}', of(name))),
    create: async (schedule: object, { reason }: Whose) => {
      const said = toWire<{ name: string; kind: string; expression: string }>(schedule)
      const body = { ...said, ...(reason === undefined ? {} : { reason }) }
      return dated(await calls.call('POST', '/api/v1/schedules', { body }))
    },
    update: async (name: string, changes: object, { reason }: Whose) => {
      const body = { ...toWire<object>(changes), ...(reason === undefined ? {} : { reason }) }
      return dated(await calls.call('PATCH', '/api/v1/schedules/{name}', { ...of(name), body }))
    },
    reset: async (name: string, act: Whose) =>
      dated(await calls.call('POST', '/api/v1/schedules/{name}/reset', saying(name, act))),
    delete: async (name: string, act: Whose) => {
      await calls.call('DELETE', '/api/v1/schedules/{name}', saying(name, act))
    },
    pause: async (name: string, act: Whose) =>
      (await calls.call('POST', '/api/v1/schedules/{name}/pause', saying(name, act))).changed,
    resume: async (name: string, act: Whose) =>
      (await calls.call('POST', '/api/v1/schedules/{name}/resume', saying(name, act))).changed,
    run: async (name: string, act: Whose) =>
      received(await calls.call('POST', '/api/v1/schedules/{name}/run', saying(name, act))),
    pauseAll: async ({ reason, until }: Whose & { until?: Date }) => {
      const body = {
        ...(reason === undefined ? {} : { reason }),
        ...(until === undefined ? {} : { until: until.toISOString() }),
      }
      await calls.call('PUT', '/api/v1/maintenance-window', { body })
    },
    resumeAll: async ({ reason }: Whose) => {
      const body = reason === undefined ? {} : { reason }
      return (await calls.call('DELETE', '/api/v1/maintenance-window', { body })).changed
    },
    maintenance: async () => dated(await calls.call('GET', '/api/v1/maintenance-window', {})),
    ...looks(calls),
  }
}

function looks(calls: Calls) {
  const of = (name: string) => ({ params: { name } })
  return {
    preview: async (name: string, count: number) =>
      dates(
        (await calls.call('GET', '/api/v1/schedules/{name}/preview', { ...of(name), query: { count } }))
          .slots,
      ),
    previewOf: async (expression: string, timeZone: string, count: number) => {
      const query = { expression, time_zone: timeZone, count }
      return dates((await calls.call('GET', '/api/v1/schedule-preview', { query })).slots)
    },
    history: async (name: string, { limit = 50 }: { limit?: number }) => {
      const query = { page_size: limit }
      const { firings } = await calls.call('GET', '/api/v1/schedules/{name}/history', { ...of(name), query })
      return firings.map(dated)
    },
    explain: async (name: string) =>
      (await calls.call('GET', '/api/v1/schedules/{name}/explain', of(name))).reasons,
  }
}

const TIMES = new Set(['nextSlot', 'waitingSlot', 'slot', 'lastSlot', 'since', 'until'])

function dated(row: object): Record<string, unknown> {
  const entries = Object.entries(fromWire<Record<string, unknown>>(row))
  return Object.fromEntries(
    entries.map(([name, value]) => [
      name,
      typeof value === 'string' && (name.endsWith('At') || TIMES.has(name)) ? new Date(value) : value,
    ]),
  )
}

const dates = (slots: readonly string[]) => slots.map((slot) => new Date(slot))
