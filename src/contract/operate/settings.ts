/** Settings in the database, which take effect without a restart. */
import { z } from 'zod'
import { contract } from '../endpoint.js'
import { instant, reasonBody, why } from '../fields.js'

const setting = z
  .object({
    name: z.string(),
    value: z.number(),
    default: z.number(),
    min: z.number(),
    max: z.number(),
    of: z.string().meta({ description: 'What the setting is for.' }),
    origin: z.enum(['default', 'set']),
    updated_at: instant.nullable(),
    updated_by: z.string().nullable(),
  })
  .meta({ id: 'Setting' })

const settingParams = z.strictObject({ name: z.string().min(1).max(100) })

export const settingsContract = contract({
  listSettings: {
    method: 'GET',
    path: '/api/v1/settings',
    scope: 'read',
    tag: 'settings',
    summary: 'List settings. They apply to all tenants and take effect without a restart.',
    response: { 200: z.object({ settings: z.array(setting) }) },
    errors: [],
  },
  getSetting: {
    method: 'GET',
    path: '/api/v1/settings/{name}',
    scope: 'read',
    tag: 'settings',
    summary: 'Get a setting.',
    params: settingParams,
    response: { 200: setting },
    errors: ['unknown_setting'],
  },
  setSetting: {
    method: 'PUT',
    path: '/api/v1/settings/{name}',
    scope: 'admin',
    everyTenant: true,
    tag: 'settings',
    summary: 'Change a setting for all tenants. Takes effect at once.',
    params: settingParams,
    body: z.strictObject({ value: z.number(), reason: why }),
    response: { 200: setting },
    errors: ['unknown_setting', 'setting_overridden'],
  },
  resetSetting: {
    method: 'DELETE',
    path: '/api/v1/settings/{name}',
    scope: 'admin',
    everyTenant: true,
    tag: 'settings',
    summary: 'Reset a setting to its default.',
    params: settingParams,
    body: reasonBody,
    response: { 200: setting },
    errors: ['unknown_setting', 'setting_overridden'],
  },
})
