/** Saved views: searches with a name, shared by the people of a tenant. */
import { z } from 'zod'
import { LIMITS } from '../../domain/limits.js'
import { contract } from '../endpoint.js'
import { idParams, instant, name, reasonBody, text, why } from '../fields.js'

const fields = {
  name: text('savedViewNameChars'),
  q: text('searchChars').meta({ description: 'The search.' }),
  columns: z
    .array(name)
    .max(LIMITS.savedViewColumnsMax.default)
    .nullable()
    .meta({ description: 'Columns of the table, in order; null: the usual ones.' }),
  sort: name.nullable().meta({ description: 'Null: newest first.' }),
}

const savedView = z
  .object({
    id: z.int(),
    name: z.string(),
    q: z.string(),
    columns: z.array(z.string()).nullable(),
    sort: z.string().nullable(),
    created_at: instant,
    created_by: z.string().nullable(),
    updated_at: instant,
    updated_by: z.string().nullable(),
  })
  .meta({ id: 'SavedView' })

export const savedViewsContract = contract({
  listSavedViews: {
    method: 'GET',
    path: '/api/v1/views',
    scope: 'read',
    tag: 'views',
    summary: 'List the saved views of the tenant, by name.',
    response: { 200: z.object({ views: z.array(savedView) }) },
    errors: [],
  },
  createSavedView: {
    method: 'POST',
    path: '/api/v1/views',
    scope: 'operate',
    tag: 'views',
    summary: 'Save a search under a name.',
    body: z.strictObject({
      name: fields.name,
      q: fields.q,
      columns: fields.columns.optional(),
      sort: fields.sort.optional(),
      reason: why,
    }),
    response: { 201: savedView },
    errors: ['view_name_taken', 'limit_exceeded'],
  },
  changeSavedView: {
    method: 'PATCH',
    path: '/api/v1/views/{id}',
    scope: 'operate',
    tag: 'views',
    summary: 'Change a saved view. Omitted fields stay as they are.',
    params: idParams,
    body: z.strictObject({
      name: fields.name.optional(),
      q: fields.q.optional(),
      columns: fields.columns.optional(),
      sort: fields.sort.optional(),
      reason: why,
    }),
    response: { 200: savedView },
    errors: ['unknown_view', 'view_name_taken'],
  },
  removeSavedView: {
    method: 'DELETE',
    path: '/api/v1/views/{id}',
    scope: 'operate',
    tag: 'views',
    summary: 'Remove a saved view.',
    params: idParams,
    body: reasonBody,
    response: { 204: null },
    errors: ['unknown_view'],
  },
})
