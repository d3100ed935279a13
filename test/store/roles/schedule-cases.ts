// The verbs of schedules, pointed at the schedule of another tenant.
import type { Case } from './verb-cases.js'

const onSchedule = (call: string, hears: unknown = 'unknown_schedule'): Case => ({
  call: `select ${call} as answer`,
  values: ({ schedule }) => [schedule],
  hears,
})
const denied = (call: string): Case => ({ call: `select ${call} as answer`, hears: 'tenant_denied' })
const NOW = `'2030-01-01', '2030-01-02'`

export const SCHEDULE_CASES: Record<string, Case> = {
  create_schedule: denied(
    `holdfast.create_schedule('bolt', 's', '{"queue": "work", "kind": "k", "priority": 0, "expression": "@daily", "time_zone": "UTC",
      "enabled": true, "catch_up": "skip", "catch_up_max": 1, "overlap": "allow", "jitter_ms": 0}', '2031-01-01')`,
  ),
  change_schedule: onSchedule(`holdfast.change_schedule($1, 1, '{"priority": 1}')`),
  remove_schedule: onSchedule('holdfast.remove_schedule($1)::text'),
  pause_schedule: onSchedule('holdfast.pause_schedule($1)'),
  resume_schedule: onSchedule('holdfast.resume_schedule($1)'),
  run_schedule: {
    call: 'select outcome as answer from holdfast.run_schedule($1)',
    values: ({ schedule }) => [schedule],
    hears: 'unknown_schedule',
  },
  due_schedules: {
    call: 'select count(*) as answer from holdfast.due_schedules()',
    hears: 0,
    blind: 'tenant_denied',
  },
  next_firing: {
    call: 'select in_ms as answer from holdfast.next_firing()',
    hears: null,
    blind: 'tenant_denied',
  },
  fire_schedule: {
    call: `select outcome as answer from holdfast.fire_schedule($1, 0, ${NOW})`,
    values: ({ schedule }) => [schedule],
    hears: 'gone',
  },
  fire_waiting: {
    call: 'select outcome as answer from holdfast.fire_waiting($1)',
    values: ({ schedule }) => [schedule],
    hears: 'gone',
  },
  skip_slots: onSchedule(
    `holdfast.skip_slots($1, 0, '2030-01-01', '2030-01-01', 1, '2030-01-02', 'missed')`,
    'gone',
  ),
  view_now: { call: `select holdfast.view_now() > '2000-01-01' as answer`, hears: true },
}
