/**
 * Caches the result of a call for a while, and shares one call among concurrent callers. A failed call is not
 * cached.
 */
export function askOnce<T>(
  forMs: number,
  ask: () => Promise<T>,
  now = () => performance.now(),
): () => Promise<T> {
  let answer: Promise<T> | undefined
  let until = 0
  return () => {
    if (answer === undefined || now() >= until) {
      const pending = ask()
      answer = pending
      until = now() + forMs
      pending.catch(() => {
        if (answer === pending) answer = undefined
      })
    }
    return answer
  }
}
