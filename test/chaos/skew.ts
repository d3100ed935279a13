/** Loaded before everything else, in every thread of a worker: its clock is wrong by CHAOS_SKEW_MS. */
const skewMs = Number(process.env.CHAOS_SKEW_MS ?? 0)

if (skewMs !== 0) {
  const Right = Date
  class Wrong extends Right {
    constructor(...given: unknown[]) {
      if (given.length === 0) super(Right.now() + skewMs)
      else super(...(given as [number]))
    }

    static override now(): number {
      return Right.now() + skewMs
    }
  }
  globalThis.Date = Wrong as DateConstructor
}

export {}
