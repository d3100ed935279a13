/** Runs the checks of `holdfast doctor` side by side. A check without the needed rights is skipped with a reason; a check that fails is a finding itself. */

import type { Database } from '../database/database.js'
import { DEFAULT_SCHEMA, withSchema } from '../database/schema.js'
import { HoldfastError } from '../domain/errors/errors.js'
import { type Check, DOCTOR_LIMITS, type DoctorLimits, type Finding, type Patient } from './finding.js'
import { roomCheck, ruleCheck, upkeepCheck, workerCheck } from './installation.js'
import { schemaCheck } from './schema.js'
import { clockCheck, connectionCheck, durabilityCheck, poolerCheck } from './server.js'
import { notifyCheck, transactionCheck } from './sessions.js'
import { indexCheck, vacuumCheck } from './tables.js'

export interface ExamineOptions {
  readonly limits?: Partial<DoctorLimits>
  /** Also reads the view `violations`, which scans whole tables. */
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

/** These read only the catalogs; the others read our own tables. */
const SERVER_CHECKS: readonly Check[] = [
  poolerCheck,
  durabilityCheck,
  transactionCheck,
  notifyCheck,
  clockCheck,
]
const SCHEMA_CHECKS: readonly Check[] = [
  indexCheck,
  vacuumCheck,
  connectionCheck,
  workerCheck,
  roomCheck,
  upkeepCheck,
]
/** One measures a round trip, the other would find the sessions of other checks. */
const ALONE: readonly Check[] = [clockCheck, transactionCheck]
/** After these findings there are no tables of ours to check. */
const NO_SCHEMA = new Set(['schema_missing', 'schema_ahead', 'schema_behind'])

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
  const onSchema = options.deep === true ? [...SCHEMA_CHECKS, ruleCheck] : SCHEMA_CHECKS
  const all = [...SERVER_CHECKS, schemaCheck, ...onSchema]
  const outcomes = new Map<Check, CheckOutcome>()
  const sideBySide = (checks: readonly Check[], skipped?: string) =>
    Promise.all(
      checks.map(async (check) => {
        options.onCheck?.(check.title, all.indexOf(check) + 1, all.length)
        outcomes.set(check, skipped === undefined ? await carryOut(check, patient) : { skipped })
      }),
    )
  for (const check of ALONE) await sideBySide([check])
  await sideBySide([...SERVER_CHECKS.filter((check) => !ALONE.includes(check)), schemaCheck])
  const isMissing = outcomes.get(schemaCheck)?.found?.some(({ code }) => NO_SCHEMA.has(code)) === true
  await sideBySide(onSchema, isMissing ? 'the schema is missing or unknown to this program' : undefined)
  const findings = all.flatMap((check) => outcomes.get(check)?.found ?? [])
  const checks = all.map((check) => checkedAs(check, outcomes.get(check) ?? {}))
  return { healthy: findings.every(({ severity }) => severity === 'note'), findings, checks }
}

interface CheckOutcome {
  readonly found?: readonly Finding[]
  readonly skipped?: string
}

async function carryOut(check: Check, patient: Patient): Promise<CheckOutcome> {
  if (check.serverOnly && patient.database.driver === 'pglite')
    return { skipped: 'PGlite runs inside one process: it has no server and no other sessions' }
  try {
    return { found: await check.run(patient) }
  } catch (error) {
    if (error instanceof HoldfastError && error.code === 'forbidden')
      return {
        skipped: `this user lacks the rights: ${error.details.problem}; run as the owner of the schema, or: grant pg_monitor to this user`,
      }
    return { found: [broken(check, error as Error)] }
  }
}

function checkedAs({ name }: Check, { found = [], skipped }: CheckOutcome): Checked {
  if (skipped !== undefined) return { name, result: 'skipped', reason: skipped }
  return { name, result: found.length > 0 ? 'found' : 'fine' }
}

function broken({ name, title }: Check, { message }: Error): Finding {
  return {
    code: 'check_failed',
    severity: 'problem',
    sentence: `The check "${title}" failed: ${message}`,
    fix: 'Fix what the message names, and run doctor again.',
    data: { check: name },
  }
}
