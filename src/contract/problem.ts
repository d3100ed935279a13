/** Error responses (RFC 9457), with a stable code and a remedy. */
import { z } from 'zod'

export const problem = z
  .object({
    type: z.string().meta({ description: 'urn:holdfast:problem:<code>' }),
    title: z.string(),
    status: z.int(),
    code: z.string(),
    detail: z.string(),
    remedy: z.string(),
    instance: z.string().meta({ description: 'Id of the request, also in the header X-Request-Id.' }),
    errors: z
      .array(
        z.object({
          in: z.enum(['path', 'query', 'header', 'body']),
          pointer: z.string().meta({ description: 'A JSON pointer (RFC 6901).' }),
          problem: z.string(),
        }),
      )
      .optional(),
    data: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: 'Details of the error for programs: the job, its state, the limit and others.' }),
  })
  .meta({ id: 'Problem' })

export type Problem = z.output<typeof problem>
