/** What the doctor says: a finding is one thing that is not as it should be, with what mends it. */
import type { Database } from '../database.js'

export interface Finding {
  readonly code: string
  /** problem: work is lost, wrong or stops. warning: it will be, or is slower than it must be. note: good to know. */
  readonly severity: 'problem' | 'warning' | 'note'
  readonly sentence: string
  /** SQL to run, or the command or setting that mends it. */
  readonly fix: string
  readonly data: Readonly<Record<string, unknown>>
}

export interface Patient {
  /** Statements are sent to the schema. */
  readonly database: Database
  readonly schema: string
  readonly limits: DoctorLimits
  /** Milliseconds of this computer's clock. */
  now(): number
}

export interface Check {
  readonly name: string
  /** What it looks at, while it does. */
  readonly title: string
  /** It asks about sessions and settings of a server, which PGlite does not have. */
  readonly serverOnly?: true
  run(patient: Patient): Promise<Finding[]>
}

/** From where on something is worth a word. */
export const DOCTOR_LIMITS = {
  /** Seconds a transaction may be open: vacuum cannot clean up what it may still see. */
  transactionSec: 300,
  /** Dead rows of a table, at least; and how many times as many as should have made autovacuum come. */
  deadRows: 50_000,
  deadTimes: 5,
  /** Share of the queue of NOTIFY that is in use; when it is full, commits fail. */
  notifyShare: 0.1,
  /** Milliseconds between this clock and the database's, beyond what the way there takes. */
  clockSkewMs: 1_000,
  /** Share of the connections that are taken. */
  connectionsShare: 0.8,
  /** Share of one range of history that must be left for jobs to come. */
  roomShare: 0.1,
  /** Passes that a chore of upkeep may miss, and seconds it may take until its last one is heard of. */
  upkeepPasses: 3,
  upkeepHeardSec: 120,
} as const

export type DoctorLimits = { readonly [name in keyof typeof DOCTOR_LIMITS]: number }

/** Queries of the doctor are reads. */
export async function rows<Row>(
  { database }: Pick<Patient, 'database'>,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  return database.query<Row>(text, values, { repeatable: true })
}

export async function one<Row>(
  patient: Pick<Patient, 'database'>,
  text: string,
  values?: readonly unknown[],
): Promise<Row> {
  const [row] = await rows<Row>(patient, text, values)
  return row as Row
}
