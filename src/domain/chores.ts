/** The chores of upkeep as the server and the command line show them. */

/** How a chore went last, on whichever node. */
export interface ChoreRun {
  readonly name: string
  readonly node: string
  readonly everyMs: number
  readonly lastRunAt: Date
  readonly nextDueAt: Date
  readonly durationMs: number
  /** How much the last pass did. */
  readonly rows: number
  readonly runs: number
  readonly rowsTotal: number
  /** When a pass last did something. */
  readonly lastChangeAt: Date | null
  readonly failures: number
  /** Of the last pass, if it failed. */
  readonly error: string | null
  readonly failedAt: Date | null
}

type AlwaysKnown = 'name' | 'everyMs' | 'runs' | 'rowsTotal' | 'failures'

/** A chore, also before its first pass; then nulls. */
export type ChoreStatus = Pick<ChoreRun, AlwaysKnown> & {
  readonly [Name in Exclude<keyof ChoreRun, AlwaysKnown>]: ChoreRun[Name] | null
} & {
  /** What it does, as a phrase. */
  readonly of: string
}

export interface ChoreDone {
  readonly name: string
  readonly rows: number
  readonly durationMs: number
  /** A pass is bounded: there is more to do. */
  readonly more: boolean
}

export interface Chores {
  list(): Promise<ChoreStatus[]>
  /** One pass of a chore, now; the others who do it go on at their own pace. */
  run(name: string): Promise<ChoreDone>
}
