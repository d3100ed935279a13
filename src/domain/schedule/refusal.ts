/** An expression that cannot be read: where in it, and what is wrong there. Positions count characters from 1, as editors do. */
import { type HoldfastError, holdfastError } from '../errors.js'

export function badExpression(position: number, problem: string): HoldfastError {
  return holdfastError('invalid_input', {
    path: '/expression',
    problem: `position ${position}: ${problem}`,
    position,
  })
}
