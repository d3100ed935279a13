/** What the runner and an example agree on: `start.ts` of each example exports `start(options)`. */
import type { Print } from './print.js'

export interface ExampleOptions {
  /** Of the database to use; without it the example starts an embedded one. */
  readonly databaseUrl?: string
  /** Default: a schema named after the example, made anew by each run. */
  readonly schema?: string
  /** The folder for the embedded database and for what the example produces. */
  readonly out: string
  /** 0: any free port. */
  readonly port: number
  /** 1 is made for watching; tests use more. It divides every delay that is there for the reader's sake. */
  readonly speed: number
  /** Go on with the jobs of the last run. */
  readonly keep: boolean
  /** Kill workers at random, by this seed. */
  readonly chaos?: number
  /** Arguments of the example itself: what follows its name and is no option of the runner. */
  readonly args: readonly string[]
  readonly print: Print
}

export interface RunningExample {
  readonly url: string
  /** Resolves when the work is done, with what is the same in each run, killed workers or not. The runner writes it to result.json. */
  result(): Promise<unknown>
  /** Ends all of it: workers first, the database last. */
  stop(): Promise<void>
  /** Workers that `chaos` has killed so far. */
  readonly kills?: readonly { readonly worker: string; readonly pid: number }[]
}

export interface Example {
  start(options: ExampleOptions): Promise<RunningExample>
}
