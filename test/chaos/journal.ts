/** What a program of the run writes down outside of the database, line by line, at once: it may be killed after any of them. */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'

/** What producers and workers write down. Producers: in this order for one job. */
export type Line =
  | { readonly t: 'intent'; readonly token: string; readonly kind: string; readonly target?: string }
  | { readonly t: 'ack'; readonly token: string; readonly job: number; readonly existing: boolean }
  | { readonly t: 'failed'; readonly token: string; readonly code: string }
  | { readonly t: 'rolled back'; readonly token: string }
  | { readonly t: 'cancel'; readonly job: number; readonly result: string }
  /** What the database answered to an ending. */
  | {
      readonly t: 'ended'
      readonly job: number
      readonly attempt: number
      readonly outcome: string
      readonly accepted: boolean
    }
  /** A handler begins, is aborted, ends; `at` is microseconds on the clock of all processes, `by` the process. */
  | Begun
  | (Handled & { readonly t: 'aborted' | 'end' })
  /** A renewal of a lease from which a sweep had taken so many jobs, and whether it was renewed. */
  | { readonly t: 'renewed'; readonly lease: number; readonly swept: number; readonly alive: boolean }
  /** A renewal that names an attempt an operator has ended, while another one runs. */
  | {
      readonly t: 'revoked'
      readonly job: number
      readonly attempt: number | null
      readonly current: number | null
    }
  /** A write of a worker that had lost the job, refused. */
  | { readonly t: 'refused'; readonly job: number; readonly attempt: number; readonly what: string }

export interface Handled {
  readonly job: number
  readonly attempt: number
  readonly lease: number
  readonly at: number
  readonly by: string
}

export interface Begun extends Handled {
  readonly t: 'begin'
  readonly queue: string
  readonly target: string | null
  /** Over HTTP. */
  readonly remote: boolean
}

export class Journal {
  readonly #file: number

  constructor(path: string) {
    this.#file = openSync(path, 'a')
  }

  write(line: Line): void {
    writeSync(this.#file, `${JSON.stringify(line)}\n`)
  }

  close(): void {
    closeSync(this.#file)
  }
}

export function readJournal(path: string): Line[] {
  const lines = readFileSync(path, 'utf8').split('\n')
  // What was killed while it wrote may have left half a line, and only as its last.
  return lines.flatMap((line) => {
    try {
      return line === '' ? [] : [JSON.parse(line) as Line]
    } catch {
      return []
    }
  })
}
