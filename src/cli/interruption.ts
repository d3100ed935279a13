/**
 * Ctrl-C and its relatives. For most commands the first one lets the command put its work away and the second one ends it at once. A
 * command that works on jobs drains instead: the first one lets jobs end, the second gives them back, and only a third ends it at once.
 */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

export interface Interruption {
  readonly signal: AbortSignal
  /** The second one, of a command that drains. */
  readonly again: AbortSignal
  /** From now on a second one is left to the command. */
  drains(): void
  /** Everything ended in time. On SIGTERM that is a success: it is what whoever sent it wanted. */
  drainedCleanly(): void
  /** What to exit with; undefined while nobody interrupted. */
  exitCode(): number | undefined
  release(): void
}

export function listenForInterruption(env: NodeJS.ProcessEnv = process.env): Interruption {
  const first = new AbortController()
  const second = new AbortController()
  let exitCode: number | undefined
  let patient = false
  const onSignal = (name: NodeJS.Signals) => {
    const code = EXIT_CODES[name as keyof typeof EXIT_CODES]
    if (exitCode === undefined) {
      exitCode = code
      first.abort()
    } else if (patient && !second.signal.aborted) second.abort()
    else process.exit(code)
  }
  // A terminal sends Ctrl-C to every process of ours; those made by a worker wait for what their parent says.
  const names = env.HOLDFAST_WORKER_CHILD === undefined ? (Object.keys(EXIT_CODES) as NodeJS.Signals[]) : []
  for (const name of names) process.on(name, onSignal)
  return {
    signal: first.signal,
    again: second.signal,
    drains() {
      patient = true
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
