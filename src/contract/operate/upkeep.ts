/** Background chores and their last runs. */
import { z } from 'zod'
import { contract } from '../endpoint.js'
import { instant, name, reasonBody } from '../fields.js'

const chore = z
  .object({
    name: z.string(),
    of: z.string().meta({ description: 'What the chore does.' }),
    every_ms: z.number(),
    last_run_at: instant.nullable().meta({ description: 'Last run on any process; null if it never ran.' }),
    next_due_at: instant.nullable(),
    duration_ms: z.number().nullable(),
    rows: z.number().nullable().meta({ description: 'Rows that the last run changed.' }),
    runs: z.number(),
    rows_total: z.number(),
    last_change_at: instant.nullable().meta({ description: 'Last run that changed rows.' }),
    failures: z.number(),
    error: z
      .string()
      .nullable()
      .meta({ description: 'Error of the last run. Only a key for all tenants sees the message.' }),
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
    summary: 'List background chores with interval, last run and result.',
    response: { 200: z.object({ chores: z.array(chore) }) },
    errors: [],
  },
  runChore: {
    method: 'POST',
    path: '/api/v1/upkeep/{name}/run',
    scope: 'admin',
    everyTenant: true,
    tag: 'upkeep',
    summary: 'Run a chore once, now.',
    params: z.strictObject({ name }),
    body: reasonBody,
    response: {
      200: z.object({
        name: z.string(),
        rows: z.number(),
        duration_ms: z.number(),
        more: z.boolean().meta({ description: 'A run is bounded; true if there is more to do.' }),
      }),
    },
    errors: ['unknown_chore'],
  },
})
