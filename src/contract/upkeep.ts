/** What the system does by itself, and how that goes. */
import { z } from 'zod'
import { contract } from './endpoint.js'
import { instant, name, reasonBody } from './fields.js'

const chore = z
  .object({
    name: z.string(),
    of: z.string().meta({ description: 'what it does, in words' }),
    every_ms: z.number(),
    last_run_at: instant.nullable().meta({ description: 'on whichever node; null: never yet' }),
    next_due_at: instant.nullable(),
    duration_ms: z.number().nullable(),
    rows: z.number().nullable().meta({ description: 'how much the last pass did' }),
    runs: z.number(),
    rows_total: z.number(),
    worked_at: instant.nullable().meta({ description: 'when a pass last did something' }),
    failures: z.number(),
    error: z
      .string()
      .nullable()
      .meta({ description: 'of the last pass, if it failed; why, only a key of every tenant sees' }),
    failed_at: instant.nullable(),
    node: z.string().nullable(),
  })
  .meta({ id: 'Chore' })

export const upkeepContract = contract({
  listChores: {
    method: 'GET',
    path: '/api/v1/upkeep',
    scope: 'read',
    tag: 'upkeep',
    summary: 'What the system does by itself: how often, when last, with what result',
    response: { 200: z.object({ chores: z.array(chore) }) },
    errors: [],
  },
  runChore: {
    method: 'POST',
    path: '/api/v1/upkeep/{name}/run',
    scope: 'admin',
    everyTenant: true,
    tag: 'upkeep',
    summary: 'One pass of a chore, now',
    params: z.strictObject({ name }),
    body: reasonBody,
    response: {
      200: z.object({
        name: z.string(),
        rows: z.number(),
        duration_ms: z.number(),
        more: z.boolean().meta({ description: 'a pass is bounded: there is more to do' }),
      }),
    },
    errors: ['unknown_chore'],
  },
})
