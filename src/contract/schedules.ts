/** What fires by itself. */
import { z } from 'zod'
import { CATCH_UPS, FIRING_OUTCOMES, OVERLAPS } from '../domain/schedule/definition.js'
import { EXPRESSION_CHARS_MAX } from '../domain/schedule/expression.js'
import { contract } from './endpoint.js'
import {
  digits,
  instant,
  jobId,
  name,
  nextPageToken,
  pageQuery,
  reasonBody,
  text,
  whole,
  why,
} from './fields.js'

const expression = z.string().max(EXPRESSION_CHARS_MAX).meta({
  description: 'cron with five fields, or six with seconds in front; @daily and the like; @every 90m',
})
const timeZone = z.string().max(64).meta({ description: 'a name of the IANA database, like Europe/Berlin' })

/** Each may be changed; what makes sense together is decided where it is set. */
const FIELDS = {
  description: text('descriptionChars').nullable(),
  queue: name,
  kind: name,
  input: z.unknown(),
  subject: text('keyChars')
    .nullable()
    .meta({ description: 'where it has a live job already, a firing makes none' }),
  priority: whole('priority').nullable().meta({ description: 'null: as its kind declares, else 20' }),
  key: text('keyChars')
    .nullable()
    .meta({ description: 'one live job per key and queue; null: its subject, else as its kind declares' }),
  target: text('targetChars')
    .nullable()
    .meta({ description: 'jobs of one target run in line; null: as its kind declares' }),
  expression,
  time_zone: timeZone,
  enabled: z.boolean(),
  catch_up: z
    .enum(CATCH_UPS)
    .meta({ description: 'which of the slots that nobody was there to fire are made up for' }),
  catch_up_max: whole('catchUpMax').meta({ description: 'of `all`: how many, the latest' }),
  overlap: z
    .enum(OVERLAPS)
    .meta({ description: 'what a firing does while a job of an earlier one is alive' }),
  jitter_ms: whole('scheduleJitterMs'),
}

const { kind, expression: when, ...optional } = FIELDS
const newSchedule = z
  .strictObject({
    name,
    kind,
    expression: when,
    ...z.strictObject(optional).partial().shape,
    reason: why,
  })
  .meta({ id: 'NewSchedule' })
const change = z
  .strictObject({
    name: name.optional(),
    ...z.strictObject(FIELDS).partial().shape,
    reason: why,
  })
  .meta({ id: 'ScheduleChange' })

export const schedule = z
  .object({
    id: z.int(),
    tenant: z.string(),
    name: z.string(),
    ...FIELDS,
    paused_at: instant.nullable(),
    paused_by: z.string().nullable(),
    pause_note: z.string().nullable(),
    next_slot: instant,
    next_run_at: instant.meta({ description: 'the next slot and its share of the jitter' }),
    last_run_at: instant.nullable(),
    waiting_slot: instant
      .nullable()
      .meta({ description: 'fired, and to be made once the job before has ended' }),
    declared: z.record(z.string(), z.unknown()).nullable().meta({ description: 'what a program says of it' }),
    overrides: z.array(z.string()).meta({ description: 'fields that were changed at run time since' }),
    created_at: instant,
    updated_at: instant,
    created_by: z.string().nullable(),
    late_ms: z.number().meta({ description: 'a slot is due this long and nobody has fired it' }),
  })
  .meta({ id: 'Schedule' })

const firing = z
  .object({
    id: z.int(),
    slot: instant,
    last_slot: instant.meta({ description: 'of a run of slots that were passed' }),
    slots: z.int().nullable().meta({ description: 'how many they are; null: more than were counted' }),
    fired_at: instant,
    outcome: z.enum(FIRING_OUTCOMES),
    job_id: jobId.nullable(),
    note: z.string().nullable(),
    actor: z.string().nullable(),
  })
  .meta({ id: 'Firing' })

const maintenance = z
  .object({
    open: z.boolean(),
    since: instant.nullable(),
    until: instant.nullable(),
    paused_by: z.string().nullable(),
    note: z.string().nullable(),
  })
  .meta({ id: 'MaintenanceWindow' })

const reasons = z.array(
  z.object({
    code: z.string(),
    blocking: z.boolean(),
    sentence: z.string(),
    data: z.record(z.string(), z.unknown()),
  }),
)

const params = z.strictObject({ name })
const flagged = z.object({ name: z.string(), changed: z.boolean() })
const slots = z.object({ slots: z.array(instant) })
const count = digits(whole('previewMax')).default(10)
const at = '/api/v1/schedules' as const
const look = { method: 'GET', scope: 'read', tag: 'schedules' } as const
const steer = {
  method: 'POST',
  scope: 'operate',
  tag: 'schedules',
  params,
  body: reasonBody,
  errors: ['unknown_schedule'],
} as const

export const schedulesContract = contract({
  listSchedules: {
    ...look,
    path: at,
    summary: 'Schedules, by name',
    query: z.strictObject(pageQuery),
    response: { 200: z.object({ schedules: z.array(schedule), next_page_token: nextPageToken }) },
    errors: [],
  },
  createSchedule: {
    method: 'POST',
    path: at,
    scope: 'operate',
    tag: 'schedules',
    summary: 'Make a schedule',
    body: newSchedule,
    response: { 201: schedule },
    errors: ['schedule_exists'],
  },
  getSchedule: {
    ...look,
    path: `${at}/{name}`,
    summary: 'A schedule',
    params,
    response: { 200: schedule },
    errors: ['unknown_schedule'],
  },
  updateSchedule: {
    method: 'PATCH',
    path: `${at}/{name}`,
    scope: 'operate',
    tag: 'schedules',
    summary: 'Change it; what is not named stays, and the next run is counted anew when its times change',
    params,
    body: change,
    response: { 200: schedule },
    errors: ['unknown_schedule', 'schedule_exists', 'schedule_declared', 'conflict'],
  },
  deleteSchedule: {
    method: 'DELETE',
    path: `${at}/{name}`,
    scope: 'operate',
    tag: 'schedules',
    summary: 'Take it away with its history; its jobs stay',
    params,
    body: reasonBody,
    response: { 204: null },
    errors: ['unknown_schedule'],
  },
  resetSchedule: {
    ...steer,
    path: `${at}/{name}/reset`,
    summary: 'Give up what was changed at run time: it is again what its program says',
    response: { 200: schedule },
    errors: ['unknown_schedule', 'schedule_not_declared', 'conflict'],
  },
  pauseSchedule: {
    ...steer,
    path: `${at}/{name}/pause`,
    summary: 'Let it fire no more until it is resumed; the reason is the note that people see',
    response: { 200: flagged },
  },
  resumeSchedule: {
    ...steer,
    path: `${at}/{name}/resume`,
    summary: 'Let it fire again, from its next slot on',
    response: { 200: flagged },
  },
  runSchedule: {
    ...steer,
    path: `${at}/{name}/run`,
    summary: 'Make its job now; the schedule stays where it is',
    response: { 200: z.object({ job_id: jobId, deduplicated: z.boolean() }) },
  },
  previewSchedule: {
    ...look,
    path: `${at}/{name}/preview`,
    summary: 'Its next slots, without jitter, as if it were not held',
    params,
    query: z.strictObject({ count }),
    response: { 200: slots },
    errors: ['unknown_schedule'],
  },
  scheduleHistory: {
    ...look,
    path: `${at}/{name}/history`,
    summary: 'What came of its slots, the latest first',
    params,
    query: z.strictObject(pageQuery),
    response: { 200: z.object({ firings: z.array(firing), next_page_token: nextPageToken }) },
    errors: ['unknown_schedule'],
  },
  explainSchedule: {
    ...look,
    path: `${at}/{name}/explain`,
    summary: 'Why it has not fired, or when it will',
    params,
    response: { 200: z.object({ reasons }) },
    errors: ['unknown_schedule'],
  },
  previewExpression: {
    ...look,
    path: '/api/v1/schedule-preview',
    summary: 'The next slots of an expression, before there is a schedule',
    query: z.strictObject({ expression, time_zone: timeZone.default('UTC'), count }),
    response: { 200: slots },
    errors: [],
  },
  getMaintenance: {
    ...look,
    path: '/api/v1/maintenance-window',
    summary: 'The maintenance window of the tenant, if one is open',
    response: { 200: maintenance },
    errors: [],
  },
  openMaintenance: {
    method: 'PUT',
    path: '/api/v1/maintenance-window',
    scope: 'operate',
    tag: 'schedules',
    summary: 'Let no schedule of the tenant fire until it is lifted, or until its end',
    body: z.strictObject({ until: instant.optional(), reason: why }).optional(),
    response: { 200: maintenance },
    errors: [],
  },
  closeMaintenance: {
    method: 'DELETE',
    path: '/api/v1/maintenance-window',
    scope: 'operate',
    tag: 'schedules',
    summary: 'Lift it; slots that fell into it are skipped',
    body: reasonBody,
    response: { 200: z.object({ changed: z.boolean() }) },
    errors: [],
  },
})
