// graphile-worker's settings by name; the plan names one.
import { Logger } from 'graphile-worker'

export const quiet = new Logger(() => () => {})

/** The configuration of the project's page on performance. */
const documented = {
  concurrentJobs: 24,
  maxPoolSize: 25,
  localQueue: { size: 500 },
  completeJobBatchDelay: 0,
  failJobBatchDelay: 0,
}

const WORKERS = {
  defaults: {},
  documented,
  wide: { ...documented, localQueue: { size: 2000 } },
  // What its page says against latency: nothing is fetched ahead, nothing gathered.
  prompt: { concurrentJobs: 10, maxPoolSize: 11 },
}

export function presetOf(url, settings) {
  return { worker: { connectionString: url, ...WORKERS[settings], logger: quiet } }
}
