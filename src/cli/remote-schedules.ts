/** The schedules of a server, in the place of those of a database. Whose they are is the key's to say. */

import type { Client } from '../client/client.js'
import type { RemoteSchedule } from '../client/schedules.js'
import { given } from '../domain/given.js'
import type { NewSchedule, ScheduleFields } from '../domain/schedule/definition.js'
import { type Act, why } from './remote-act.js'

const PAGE = 500

export function remoteSchedules({ schedules }: Client) {
  return {
    all: async () => {
      const found: RemoteSchedule[] = []
      for (let after: string | null | undefined; after !== null; ) {
        const page = await schedules.list({ limit: PAGE, ...given({ after }) })
        found.push(...page.schedules)
        after = page.next
      }
      return found
    },
    get: (name: string) => schedules.get(name),
    create: (schedule: NewSchedule, act: Act) => schedules.create(schedule, why(act)),
    update: (name: string, changes: Partial<ScheduleFields> & { readonly name?: string }, act: Act) =>
      schedules.update(name, changes, why(act)),
    reset: (name: string, act: Act) => schedules.reset(name, why(act)),
    delete: (name: string, act: Act) => schedules.delete(name, why(act)),
    pause: (name: string, act: Act) => schedules.pause(name, why(act)),
    resume: (name: string, act: Act) => schedules.resume(name, why(act)),
    run: (name: string, act: Act) => schedules.run(name, why(act)),
    preview: (name: string, count: number) => schedules.preview(name, count),
    previewOf: (expression: string, timeZone: string, count: number) =>
      schedules.previewOf(expression, timeZone, count),
    history: async (name: string, { limit = 50 }: { limit?: number }) =>
      (await schedules.history(name, { limit })).firings,
    explain: (name: string) => schedules.explain(name),
    maintenance: () => schedules.maintenance(),
    pauseAll: ({ until, ...act }: Act & { until?: Date }) =>
      schedules.pauseAll({ ...why(act), ...given({ until }) }),
    resumeAll: (act: Act) => schedules.resumeAll(why(act)),
  }
}
