/**
 * Handles SIGINT, SIGTERM and SIGHUP. Most commands clean up on the first signal and exit at once on the second. A command that runs jobs drains:
 * on the first signal running jobs may finish, on the second they are released, and only the third exits at once.
 */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

export interface Interruption {
  readonly signal: AbortSignal
  /** Aborts on the second signal of a command that drains. */
  readonly again: AbortSignal
  /** From now on the second signal aborts `again` instead of exiting. */
  drains(): void
  /** All jobs finished in time. After SIGTERM the exit code is then 0, because the sender got what it wanted. */
  drainedCleanly(): void
  /** The exit code for the signal received; undefined without one. */
  exitCode(): number | undefined
  release(): void
}

export function listenForInterruption(env: NodeJS.ProcessEnv = process.env): Interruption {
  const first = new AbortController()
  const second = new AbortController()
  let exitCode: number | undefined
  let draining = false
  const onSignal = (name: NodeJS.Signals) => {
    const code = EXIT_CODES[name as keyof typeof EXIT_CODES]
    if (exitCode === undefined) {
      exitCode = code
      first.abort()
    } else if (draining && !second.signal.aborted) second.abort()
    else process.exit(code)
  }
  // A terminal sends Ctrl-C to all processes of a group; child processes of a worker are stopped by their parent instead.
  const names = env.HOLDFAST_WORKER_CHILD === undefined ? (Object.keys(EXIT_CODES) as NodeJS.Signals[]) : []
  for (const name of names) process.on(name, onSignal)
  return {
    signal: first.signal,
    again: second.signal,
    drains() {
      draining = true
    },
    drainedCleanly() {
      if (exitCode === EXIT_CODES.SIGTERM && !second.signal.aborted) exitCode = 0
    },
    exitCode: () => exitCode,
    release() {
      for (const name of names) process.off(name, onSignal)
    },
  }
}
