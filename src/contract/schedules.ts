/** HTTP routes of schedules (cron) and of maintenance windows, which pause all of them. */
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
  scheduleName,
  text,
  whole,
  why,
} from './fields.js'

const expression = z.string().max(EXPRESSION_CHARS_MAX).meta({
  description: 'Cron with five fields, or six with seconds first; @daily and similar; @every 90m.',
})
const timeZone = z.string().max(64).meta({ description: 'IANA time zone, like Europe/Berlin.' })

/** Fields that can be changed. The store checks their combination. */
const FIELDS = {
  description: text('descriptionChars').nullable(),
  queue: name,
  kind: name,
  input: z.unknown(),
  subject: text('keyChars')
    .nullable()
    .meta({ description: 'If the subject has a live job, a firing enqueues none.' }),
  priority: whole('priority').nullable().meta({ description: 'Null: the priority of the kind, or 20.' }),
  key: text('keyChars')
    .nullable()
    .meta({ description: 'Deduplication key; null: the subject, or the key of the kind.' }),
  target: text('targetChars')
    .nullable()
    .meta({ description: 'Jobs of one target run one at a time; null: the target of the kind.' }),
  expression,
  time_zone: timeZone,
  enabled: z.boolean(),
  catch_up: z.enum(CATCH_UPS).meta({ description: 'Which missed slots fire later.' }),
  catch_up_max: whole('catchUpMax').meta({
    description: 'With `all`: how many of the latest missed slots fire.',
  }),
  overlap: z.enum(OVERLAPS).meta({ description: 'What a firing does while an earlier job is alive.' }),
  jitter_ms: whole('scheduleJitterMs'),
}

const { kind, expression: when, ...optional } = FIELDS
const newSchedule = z
  .strictObject({
    name: scheduleName,
    kind,
    expression: when,
    ...z.strictObject(optional).partial().shape,
    reason: why,
  })
  .meta({ id: 'NewSchedule' })
const change = z
  .strictObject({
    name: scheduleName.optional(),
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
    next_run_at: instant.meta({ description: 'The next slot plus jitter.' }),
    last_run_at: instant.nullable(),
    waiting_slot: instant
      .nullable()
      .meta({ description: 'Fired; its job is enqueued when the earlier job ends.' }),
    declared: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({ description: 'The declaration of the program.' }),
    overrides: z.array(z.string()).meta({ description: 'Fields changed at run time since the declaration.' }),
    created_at: instant,
    updated_at: instant,
    created_by: z.string().nullable(),
    late_ms: z.number().meta({ description: 'How long a slot is overdue.' }),
  })
  .meta({ id: 'Schedule' })

const firing = z
  .object({
    id: z.int(),
    slot: instant,
    last_slot: instant.meta({ description: 'The last of several skipped slots.' }),
    slots: z
      .int()
      .nullable()
      .meta({ description: 'Number of skipped slots; null if there were too many to count.' }),
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

const params = z.strictObject({ name: scheduleName })
const flagged = z.object({ name: z.string(), changed: z.boolean() })
const slots = z.object({ slots: z.array(instant) })
const count = digits(whole('previewMax')).default(10)
const base = '/api/v1/schedules' as const
const read = { method: 'GET', scope: 'read', tag: 'schedules' } as const
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
    ...read,
    path: base,
    summary: 'List schedules by name.',
    query: z.strictObject(pageQuery),
    response: { 200: z.object({ schedules: z.array(schedule), next_page_token: nextPageToken }) },
    errors: [],
  },
  createSchedule: {
    method: 'POST',
    path: base,
    scope: 'operate',
    tag: 'schedules',
    summary: 'Create a schedule.',
    body: newSchedule,
    response: { 201: schedule },
    errors: ['schedule_exists'],
  },
  getSchedule: {
    ...read,
    path: `${base}/{name}`,
    summary: 'Get a schedule.',
    params,
    response: { 200: schedule },
    errors: ['unknown_schedule'],
  },
  updateSchedule: {
    method: 'PATCH',
    path: `${base}/{name}`,
    scope: 'operate',
    tag: 'schedules',
    summary:
      'Change a schedule. Fields not given stay as they are; a new expression recomputes the next run.',
    params,
    body: change,
    response: { 200: schedule },
    errors: ['unknown_schedule', 'schedule_exists', 'schedule_declared', 'conflict'],
  },
  removeSchedule: {
    method: 'DELETE',
    path: `${base}/{name}`,
    scope: 'operate',
    tag: 'schedules',
    summary: 'Delete a schedule and its history. Its jobs stay.',
    params,
    body: reasonBody,
    response: { 204: null },
    errors: ['unknown_schedule'],
  },
  resetSchedule: {
    ...steer,
    path: `${base}/{name}/reset`,
    summary: 'Reset a schedule to the declaration of its program.',
    response: { 200: schedule },
    errors: ['unknown_schedule', 'schedule_not_declared', 'conflict'],
  },
  pauseSchedule: {
    ...steer,
    path: `${base}/{name}/pause`,
    summary: 'Pause a schedule until it is resumed. Operators see the reason.',
    response: { 200: flagged },
  },
  resumeSchedule: {
    ...steer,
    path: `${base}/{name}/resume`,
    summary: 'Resume a schedule from its next slot on.',
    response: { 200: flagged },
  },
  runSchedule: {
    ...steer,
    path: `${base}/{name}/run`,
    summary: 'Enqueue the job of a schedule now. The next slot does not change.',
    response: { 200: z.object({ job_id: jobId, deduplicated: z.boolean() }) },
  },
  previewSchedule: {
    ...read,
    path: `${base}/{name}/preview`,
    summary: 'Preview the next slots, without jitter and pauses.',
    params,
    query: z.strictObject({ count }),
    response: { 200: slots },
    errors: ['unknown_schedule'],
  },
  scheduleHistory: {
    ...read,
    path: `${base}/{name}/history`,
    summary: 'List the firings of a schedule, latest first.',
    params,
    query: z.strictObject(pageQuery),
    response: { 200: z.object({ firings: z.array(firing), next_page_token: nextPageToken }) },
    errors: ['unknown_schedule'],
  },
  explainSchedule: {
    ...read,
    path: `${base}/{name}/explain`,
    summary: 'Explain why a schedule has not fired, or when it will.',
    params,
    response: { 200: z.object({ reasons }) },
    errors: ['unknown_schedule'],
  },
  previewExpression: {
    ...read,
    path: '/api/v1/schedule-preview',
    summary: 'Preview the slots of an expression without a schedule.',
    query: z.strictObject({ expression, time_zone: timeZone.default('UTC'), count }),
    response: { 200: slots },
    errors: [],
  },
  getMaintenance: {
    ...read,
    path: '/api/v1/maintenance-window',
    summary: 'Get the open maintenance window of the tenant.',
    response: { 200: maintenance },
    errors: [],
  },
  openMaintenance: {
    method: 'PUT',
    path: '/api/v1/maintenance-window',
    scope: 'operate',
    tag: 'schedules',
    summary: 'Open a maintenance window: no schedule of the tenant fires until it is closed or ends.',
    body: z.strictObject({ until: instant.optional(), reason: why }).optional(),
    response: { 200: maintenance },
    errors: [],
  },
  closeMaintenance: {
    method: 'DELETE',
    path: '/api/v1/maintenance-window',
    scope: 'operate',
    tag: 'schedules',
    summary: 'Close the maintenance window. Slots inside it are skipped.',
    body: reasonBody,
    response: { 200: z.object({ changed: z.boolean() }) },
    errors: [],
  },
})
