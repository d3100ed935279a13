/** Waits for a promise, at most `ms`; returns whether it settled in time. Leaves no timer that would keep the process alive. */
export async function settlesWithin(
  ms: number,
  settled: Promise<unknown>,
  hurried: Promise<void> = NEVER,
): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  try {
    return await Promise.race([settled.then(() => true), hurried.then(() => false), late])
  } finally {
    clearTimeout(timer)
  }
}

const NEVER = new Promise<void>(() => {})
