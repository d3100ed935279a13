// How long the jobs of a killed worker are away.
import { cellOfPromise } from './promise.js'

const ID = 'recovery'

export const ids = [ID]

export async function run(env) {
  const { heldJobs: jobs, leaseMs } = env.sizes
  const cell = await cellOfPromise(env, {
    id: ID,
    what: `from kill -9 of a worker to the moment the last of its ${jobs} jobs has begun in another, against lease + 1 s`,
    promise: 'the lease and a second',
    mostMs: leaseMs + 1_000,
    measured: { op: 'recovery', jobs, leaseMs },
    verify: { jobs, finished: jobs, attempt: 2 },
    notes: [`a lease of ${leaseMs / 1000} s, killed right after a renewal, so that all of it has to run out`],
  })
  return { cells: [cell] }
}
