/** A term as it is written, and the mistakes in it. */

import type { SearchField } from './filter.js'
import type { Token } from './tokens.js'

export interface SearchProblem {
  /** Where the mistake is in the text, in UTF-16 units as an editor counts. */
  readonly position: number
  readonly length: number
  /** A sentence. */
  readonly message: string
  /** What was probably meant instead of the marked part. */
  readonly nearest?: string
}

/** A field with its operator and values, before they are read. */
export interface WrittenTerm {
  readonly field: SearchField
  readonly name: Token
  readonly path?: readonly string[]
  readonly not: boolean
  readonly operator: Operator
  readonly values: readonly Token[]
}

export type Operator = ':' | '>' | '>=' | '<' | '<='

/** Thrown inside this folder and collected by `parseSearch`. */
export class Mistake extends Error {
  constructor(readonly problem: SearchProblem) {
    super(problem.message)
  }
}

export function mistake(at: Pick<Token, 'start' | 'end'>, message: string, instead?: string | null): Mistake {
  return new Mistake({
    position: at.start,
    length: Math.max(at.end - at.start, 1),
    message,
    ...(instead === undefined || instead === null ? {} : { nearest: instead }),
  })
}
