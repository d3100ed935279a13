/**
 * Cooperative scheduling: long CPU work runs in slices and yields to the event loop in between, so that short
 * calls do not wait for all of it. All long work of the process shares one queue, and one slice runs per turn
 * of the event loop. So a hundred long tasks delay other calls no more than one does.
 */

/** How long a slice may be. A call needs a handful of turns, so a renewal beside long work takes some tens of milliseconds. */
const SLICE_MS = 5

const line: (() => void)[] = []
let turning = false

/** Resolves in a later turn of the event loop, which it has for itself. */
export function giveWay(): Promise<void> {
  return new Promise((resolve) => {
    line.push(resolve)
    if (!turning) setImmediate(turn)
    turning = true
  })
}

function turn(): void {
  line.shift()?.()
  turning = line.length > 0
  if (turning) setImmediate(turn)
}

/** Every element in turn, as a map does, in slices. */
export async function mapInSlices<T, R>(
  list: readonly T[],
  make: (element: T, index: number) => R,
): Promise<R[]> {
  const made: R[] = []
  let began = performance.now()
  for (const [index, element] of list.entries()) {
    made.push(make(element, index))
    if (performance.now() - began < SLICE_MS) continue
    await giveWay()
    began = performance.now()
  }
  return made
}
