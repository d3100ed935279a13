// The library as its users have it: an app with the jobs of the benchmark, on a schema that is there already.
import { defineJob, holdfast } from '../../../dist/index.js'

export const QUEUE = 'bench'

/** Every job of the benchmark is of this kind; what it does is for the measurement to say. */
export const noop = (handler = () => {}) => defineJob({ kind: 'noop', queue: QUEUE, handler })

/** Inputs that can be told apart. */
export const numbered = (from, to) => Array.from({ length: to - from }, (_, n) => ({ n: from + n }))

export async function withApp({ url }, jobs, work) {
  const app = await holdfast({ url, jobs })
  try {
    return await work(app)
  } finally {
    await app.stop({ graceMs: 0 })
  }
}
