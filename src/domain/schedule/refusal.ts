/** The error of an expression that cannot be parsed: the position and the problem. Positions count characters from 1, as editors do. */
import { type HoldfastError, holdfastError } from '../errors/errors.js'

export function badExpression(position: number, problem: string): HoldfastError {
  return holdfastError('invalid_input', {
    path: '/expression',
    problem: `position ${position}: ${problem}`,
    position,
  })
}
