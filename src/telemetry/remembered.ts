/** An answer that is good for a while, asked for once however many want it at the same time. */
export function remembered<T>(
  forMs: number,
  ask: () => Promise<T>,
  now = () => performance.now(),
): () => Promise<T> {
  let answer: Promise<T> | undefined
  let until = 0
  return () => {
    if (answer === undefined || now() >= until) {
      const asked = ask()
      answer = asked
      until = now() + forMs
      asked.catch(() => {
        if (answer === asked) answer = undefined
      })
    }
    return answer
  }
}
