/** Several workers that have drained, as one. */
import type { Drained } from '../worker/worker-options.js'

export function allDrained(drained: readonly Drained[]): Drained {
  return {
    clean: drained.every(({ clean }) => clean),
    released: drained.reduce((sum, one) => sum + one.released, 0),
    unwritten: drained.reduce((sum, one) => sum + one.unwritten, 0),
  }
}
