/** Declarations of kinds, made by programs with `defineJob`. */
import { z } from 'zod'
import { LIMITS } from '../../domain/limits.js'
import { instant, name, text, whole } from '../fields.js'

const template = (limit: 'keyChars' | 'targetChars') =>
  text(limit).meta({ description: 'A template: {a.b} is replaced by that field of the input.' })

const declaredFields = {
  max_retries: whole('maxRetries'),
  timeout_ms: whole('timeoutMs'),
  priority: whole('priority'),
  key: template('keyChars'),
  target: template('targetChars'),
  search: z
    .array(z.string().max(256))
    .min(LIMITS.searchPaths.min)
    .max(LIMITS.searchPaths.hardMax)
    .meta({ description: 'Fields of the input that searches find at once, such as user.id.' }),
}

export const declaredKind = z
  .strictObject({
    kind: name,
    queue: name,
    ...z.strictObject(declaredFields).partial().shape,
    by_program: z
      .array(z.enum(['key', 'target']))
      .optional()
      .meta({
        description: 'Fields that are functions in the program, which apply only to jobs it enqueues itself.',
      }),
  })
  .meta({ id: 'DeclaredKind' })

export const kind = z
  .object({
    kind: z.string(),
    queue: z.string(),
    max_retries: z.int().nullable(),
    timeout_ms: z.int().nullable(),
    priority: z.int().nullable(),
    key: z.string().nullable(),
    target: z.string().nullable(),
    search: z.array(z.string()).nullable(),
    by_program: z.array(z.string()),
    declared_at: instant,
    declared_by: z.string().nullable(),
  })
  .meta({ id: 'Kind' })
