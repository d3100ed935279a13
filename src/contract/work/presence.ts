/** What a worker reports about itself with a heartbeat. */
import { z } from 'zod'
import { LIMITS } from '../../domain/limits.js'
import { between, name, text } from '../fields.js'

const INT4_MAX = 2 ** 31 - 1

/** In order of precedence. */
export const queueNames = z.array(name).min(1).max(LIMITS.batchMax.default)

export const presence = z
  .strictObject({
    worker: name,
    host: text('keyChars'),
    pid: between(0, INT4_MAX),
    version: text('keyChars'),
    kinds: z.array(name).max(LIMITS.batchMax.default),
    queues: queueNames,
    slots: between(0, INT4_MAX),
    busy: between(0, INT4_MAX),
    lag_ms: z.number().min(0).default(0),
    draining: z.boolean().default(false),
  })
  .meta({ id: 'Presence' })

export const scaleDecision = z
  .strictObject({
    worker: name,
    group: name,
    from: between(0, INT4_MAX),
    to: between(0, INT4_MAX),
    depth: between(0, INT4_MAX).meta({ description: 'Due, unclaimed jobs that it found.' }),
    reason: z.enum(['depth', 'wait']),
  })
  .meta({ id: 'ScaleDecision' })
