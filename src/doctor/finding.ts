/** A finding of `holdfast doctor`: one defect, with its severity and its fix. */
import type { Database } from '../database/database.js'

export interface Finding {
  readonly code: string
  /** problem: jobs are lost, wrong or stopped. warning: they will be, or are slower than necessary. note: for information. */
  readonly severity: 'problem' | 'warning' | 'note'
  readonly sentence: string
  /** SQL to run, or the command or setting that fixes it. */
  readonly fix: string
  readonly data: Readonly<Record<string, unknown>>
}

export interface Patient {
  /** Sends statements to the schema. */
  readonly database: Database
  readonly schema: string
  readonly limits: DoctorLimits
  /** Milliseconds of this computer's clock. */
  now(): number
}

export interface Check {
  readonly name: string
  /** Shown while it runs. */
  readonly title: string
  /** Reads sessions and settings of a server, which PGlite does not have. */
  readonly serverOnly?: true
  run(patient: Patient): Promise<Finding[]>
}

/** The thresholds of the checks. */
export const DOCTOR_LIMITS = {
  /** Seconds a transaction may be open: vacuum cannot remove rows that it may still see. */
  transactionSec: 300,
  /** Dead rows of a table, at least; and their ratio to the autovacuum threshold. */
  deadRows: 50_000,
  deadRatio: 5,
  /** Used share of the NOTIFY queue; when it is full, commits fail. */
  notifyShare: 0.1,
  /** Milliseconds between this clock and the database's, beyond the round trip. */
  clockSkewMs: 1_000,
  /** Used share of the connections. */
  connectionsShare: 0.8,
  /** Share of one range of history that must be free for new jobs. */
  freeRangeShare: 0.1,
  /** Passes that a chore may miss, and seconds until its report arrives. */
  upkeepPasses: 3,
  upkeepReportSec: 120,
} as const

export type DoctorLimits = { readonly [name in keyof typeof DOCTOR_LIMITS]: number }

/** All queries of the doctor are reads. */
export async function rows<Row>(
  { database }: Pick<Patient, 'database'>,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  return database.query<Row>(text, values, { repeatable: true })
}

export async function queryOne<Row>(
  patient: Pick<Patient, 'database'>,
  text: string,
  values?: readonly unknown[],
): Promise<Row> {
  const [row] = await rows<Row>(patient, text, values)
  return row as Row
}
