/** Ctrl-C and its relatives: the first one lets the command put its work away, the second one ends at once. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

export interface Interruption {
  readonly signal: AbortSignal
  /** What to exit with; undefined while nobody interrupted. */
  exitCode(): number | undefined
  release(): void
}

export function listenForInterruption(): Interruption {
  const controller = new AbortController()
  let exitCode: number | undefined
  const onSignal = (name: NodeJS.Signals) => {
    const code = EXIT_CODES[name as keyof typeof EXIT_CODES]
    if (exitCode !== undefined) process.exit(code)
    exitCode = code
    controller.abort()
  }
  const names = Object.keys(EXIT_CODES) as NodeJS.Signals[]
  for (const name of names) process.on(name, onSignal)
  return {
    signal: controller.signal,
    exitCode: () => exitCode,
    release() {
      for (const name of names) process.off(name, onSignal)
    },
  }
}
