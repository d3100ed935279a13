import { HoldfastError } from '../../src/domain/errors/errors.js'

/** What something is refused with, which must be an error of ours. */
export function refusal(act: () => unknown): HoldfastError {
  try {
    act()
  } catch (error) {
    if (error instanceof HoldfastError) return error
    throw error
  }
  throw new Error('nothing was refused')
}
