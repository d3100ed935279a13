/** The chores of upkeep as whoever looks sees them: what the app knows of them, and what the server shows. */

/** A chore, and how it went last, on whichever node; nulls: never yet. */
export interface ChoreStatus {
  readonly name: string
  /** What it does, in words. */
  readonly of: string
  readonly everyMs: number
  readonly lastRunAt: Date | null
  readonly nextDueAt: Date | null
  readonly durationMs: number | null
  /** How much the last pass did. */
  readonly rows: number | null
  readonly runs: number
  readonly rowsTotal: number
  /** When a pass last did something. */
  readonly workedAt: Date | null
  readonly failures: number
  /** Of the last pass, if it failed. */
  readonly error: string | null
  readonly failedAt: Date | null
  readonly node: string | null
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
