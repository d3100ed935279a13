/** Every check in turn. A check that may not look says so and what would let it; one that breaks is a finding itself. */
import { HoldfastError } from '../../domain/errors.js'
import type { Database } from '../database.js'
import { DEFAULT_SCHEMA, withSchema } from '../schema.js'
import { type Check, DOCTOR_LIMITS, type DoctorLimits, type Finding, type Patient } from './finding.js'
import { roomCheck, ruleCheck, upkeepCheck, workerCheck } from './installation.js'
import { schemaCheck } from './schema.js'
import { clockCheck, connectionCheck, durabilityCheck, poolerCheck } from './server.js'
import { notifyCheck, transactionCheck } from './sessions.js'
import { indexCheck, vacuumCheck } from './tables.js'

export interface ExamineOptions {
  readonly limits?: Partial<DoctorLimits>
  /** Asks the view `violations` too, which reads whole tables. */
  readonly deep?: boolean
  /** Called before each check. */
  readonly onCheck?: (title: string, nth: number, of: number) => void
  /** This computer's clock. */
  readonly now?: () => number
}

export interface Checked {
  readonly name: string
  readonly result: 'fine' | 'found' | 'skipped'
  /** Why it was skipped. */
  readonly reason?: string
}

export interface Examination {
  readonly healthy: boolean
  readonly findings: readonly Finding[]
  readonly checks: readonly Checked[]
}

/** These ask only the catalogs; the others ask our own tables. */
const OF_THE_SERVER: readonly Check[] = [
  poolerCheck,
  durabilityCheck,
  transactionCheck,
  notifyCheck,
  clockCheck,
]
const OF_OURS: readonly Check[] = [
  indexCheck,
  vacuumCheck,
  connectionCheck,
  workerCheck,
  roomCheck,
  upkeepCheck,
]
/** Without these there is nothing of ours to ask. */
const NOTHING_THERE = new Set(['schema_missing', 'schema_ahead', 'schema_behind'])

export async function examine(
  database: Database,
  schema: string = DEFAULT_SCHEMA,
  options: ExamineOptions = {},
): Promise<Examination> {
  const patient: Patient = {
    database: withSchema(database, schema),
    schema,
    limits: { ...DOCTOR_LIMITS, ...options.limits },
    now: options.now ?? Date.now,
  }
  const all = [...OF_THE_SERVER, schemaCheck, ...OF_OURS, ...(options.deep === true ? [ruleCheck] : [])]
  const findings: Finding[] = []
  const checks: Checked[] = []
  for (const [index, check] of all.entries()) {
    options.onCheck?.(check.title, index + 1, all.length)
    const missing =
      OF_OURS.concat(ruleCheck).includes(check) && findings.find(({ code }) => NOTHING_THERE.has(code))
    const outcome = missing
      ? { skipped: 'there is no schema this program knows' }
      : await carryOut(check, patient)
    findings.push(...(outcome.found ?? []))
    checks.push(checkedAs(check, outcome))
  }
  return { healthy: findings.every(({ severity }) => severity === 'note'), findings, checks }
}

interface Outcome {
  readonly found?: readonly Finding[]
  readonly skipped?: string
}

async function carryOut(check: Check, patient: Patient): Promise<Outcome> {
  if (check.serverOnly && patient.database.driver === 'pglite')
    return { skipped: 'PGlite lives inside one process: there is no server, and nobody else is connected' }
  try {
    return { found: await check.run(patient) }
  } catch (error) {
    if (error instanceof HoldfastError && error.code === 'forbidden')
      return {
        skipped: `this user may not look: ${error.details.problem}; ask as the owner of the schema, or: grant pg_monitor to this user`,
      }
    return { found: [broken(check, error as Error)] }
  }
}

function checkedAs({ name }: Check, { found = [], skipped }: Outcome): Checked {
  if (skipped !== undefined) return { name, result: 'skipped', reason: skipped }
  return { name, result: found.length > 0 ? 'found' : 'fine' }
}

function broken({ name, title }: Check, { message }: Error): Finding {
  return {
    code: 'check_failed',
    severity: 'problem',
    sentence: `It could not be found out about ${title}: ${message}`,
    fix: 'Mend what the message says, and ask again.',
    data: { check: name },
  }
}
