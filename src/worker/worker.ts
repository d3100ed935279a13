/** Placeholder for the build of what stands on top; replaced in the next commits. */
import type { Worker, WorkerOptions } from './worker-options.js'

export function createWorker(_options: WorkerOptions): Worker {
  throw new Error('not yet')
}
