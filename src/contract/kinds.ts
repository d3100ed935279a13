/** What programs declare of their kinds of jobs. */
import { z } from 'zod'
import { instant, name, text, whole } from './fields.js'

const template = (of: 'keyChars' | 'targetChars') =>
  text(of).meta({ description: 'a template: {a.b} stands for that field of the input' })

const says = {
  max_retries: whole('maxRetries'),
  timeout_ms: whole('timeoutMs'),
  priority: whole('priority'),
  key: template('keyChars'),
  target: template('targetChars'),
}

export const declaredKind = z
  .strictObject({
    kind: name,
    queue: name,
    ...z.strictObject(says).partial().shape,
    by_program: z
      .array(z.enum(['key', 'target']))
      .optional()
      .meta({
        description: 'which of them are functions of the program, and hold only for what it enqueues',
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
    by_program: z.array(z.string()),
    declared_at: instant,
    declared_by: z.string().nullable(),
  })
  .meta({ id: 'Kind' })
