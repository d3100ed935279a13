/** The overview: what needs an operator, where the jobs are, and counts for the navigation. */
import { z } from 'zod'
import { PROBLEM_SEVERITIES, PROBLEM_TYPES, SUBJECT_TYPES } from '../../domain/stats/problems.js'
import { contract, SCOPES } from '../endpoint.js'
import { count, instant, jobId } from '../fields.js'

const action = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('call'),
      label: z.string(),
      method: z.enum(['POST', 'PUT', 'PATCH', 'DELETE']),
      path: z.string(),
      body: z.record(z.string(), z.unknown()).nullable(),
      scope: z.enum(SCOPES),
    }),
    z.object({
      type: z.literal('open'),
      label: z.string(),
      page: z.string().meta({ description: 'A page of the dashboard.' }),
      params: z.record(z.string(), z.string()),
    }),
  ])
  .meta({ id: 'ProblemAction' })

const problem = z
  .object({
    id: z.string().meta({ description: 'The same for as long as the problem lasts.' }),
    type: z.enum(PROBLEM_TYPES),
    severity: z.enum(PROBLEM_SEVERITIES),
    subject: z.object({
      type: z.enum(SUBJECT_TYPES),
      name: z.string(),
      queue: z.string().nullable(),
      kind: z.string().nullable(),
      job_id: jobId.nullable(),
    }),
    text: z.string().meta({ description: 'The problem in one sentence.' }),
    next: z.string().meta({ description: 'What happens if no one acts.' }),
    since: instant.nullable(),
    numbers: z.record(z.string(), z.number()),
    error: z
      .object({
        fingerprint: z.string().nullable(),
        message: z.string(),
        first_version: z.string().nullable(),
      })
      .nullable(),
    alert_id: z.int().nullable().meta({ description: 'The alert that fires for the same cause.' }),
    actions: z.array(action),
  })
  .meta({ id: 'OverviewProblem' })

const flow = z.object({
  places: z.object({
    delayed: count,
    ready: count,
    running: count,
    waiting: count.meta({ description: 'Behind the job at the head of their target.' }),
    blocked: count.meta({ description: 'Heads of targets that need an operator.' }),
    paused: count.meta({ description: 'Paused or errored jobs without a target.' }),
    parked: count.meta({ description: 'Wait for a worker that handles their kind.' }),
    pending: count.meta({ description: 'Enqueued, not yet published.' }),
  }),
  ended_24h: z.object({ succeeded: z.int(), failed: z.int(), canceled: z.int() }),
  per_minute: z
    .object({
      enqueued: z.number(),
      started: z.number(),
      ended: z.number(),
      succeeded: z.number(),
      failed: z.number(),
      attempts_failed: z.number(),
    })
    .meta({ description: 'Mean of the last five minutes that are counted.' }),
  slots: z.int().meta({ description: 'Of live workers.' }),
  busy: z.int(),
  oldest_ready_at: instant.nullable(),
  next_due_at: instant.nullable(),
})

export const overviewContract = contract({
  overview: {
    method: 'GET',
    path: '/api/v1/overview',
    scope: 'read',
    tag: 'stats',
    summary: 'What needs an operator, most severe first, where the jobs are, and counts for the navigation.',
    response: {
      200: z.object({
        now: instant,
        counted_to: instant.nullable().meta({ description: 'When the roll-up last ran.' }),
        problems: z.array(problem),
        problems_capped: z.boolean().meta({ description: 'There are more problems than are listed.' }),
        flow,
        counts: z.object({
          jobs: count.meta({ description: 'Live jobs.' }),
          queues: z.int(),
          kinds: z.int(),
          blocked_targets: count,
          schedules: z.int(),
          late_schedules: z.int(),
          workers: z.int(),
          firing_alerts: z.int(),
          error_groups: z.int().meta({ description: 'Groups with errors in the last 24 hours.' }),
        }),
      }),
    },
    errors: [],
  },
})
