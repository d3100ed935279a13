/** What went wrong with a call, in a form that a page can show: a sentence, a remedy, a code. */
import type { Problem } from '../../../src/contract/problem.js'

export class CallFailed extends Error {
  readonly code: string
  readonly status: number
  readonly remedy: string
  readonly problem: Partial<Problem>

  constructor(status: number, problem: Partial<Problem>) {
    super(sentenceOf(problem) ?? `The server answered ${status}.`)
    this.name = 'CallFailed'
    this.status = status
    this.code = problem.code ?? (status === 0 ? 'unreachable' : String(status))
    this.remedy = problem.remedy ?? ''
    this.problem = problem
  }
}

/** The detail ends with the remedy; pages show the two apart. */
function sentenceOf({ detail, title, remedy = '' }: Partial<Problem>): string | undefined {
  const alone = remedy !== '' && detail?.endsWith(remedy) ? detail.slice(0, -remedy.length).trim() : detail
  return alone || title
}

export const unreachable = () =>
  new CallFailed(0, {
    code: 'unreachable',
    detail: 'The server cannot be reached.',
    remedy: 'Check that it runs. The page tries again by itself.',
  })

/** The server was away or busy: the same call may succeed in a moment. */
export function isPassing(failure: CallFailed | null): boolean {
  return failure !== null && (failure.code === 'unreachable' || failure.status >= 500)
}

export function asFailure(error: unknown): CallFailed {
  if (error instanceof CallFailed) return error
  return new CallFailed(0, {
    code: 'unexpected',
    detail: error instanceof Error ? error.message : String(error),
  })
}
