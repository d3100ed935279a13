/**
 * A conformance case: calls in order, each with what the answer must contain. It is plain data, so that it can be printed as JSON and run or
 * replayed in any language.
 *
 * In requests and expectations, a string that begins with $ stands for a value: $queue has no live jobs when a case begins, $worker is new, and
 * what a step keeps has the name it was kept under. In what is expected, $any is any value but null, and $time is an ISO time. Objects may have
 * more fields than expected; lists have as many entries as expected.
 */
export interface CaseStep {
  readonly say: string
  readonly method?: 'GET' | 'POST'
  readonly path: string
  readonly body?: unknown
  readonly expect: { readonly status: number; readonly body?: unknown }
  /** Names for parts of the answer, by JSON pointer. */
  readonly keep?: Readonly<Record<string, string>>
  /** Sent while the step before is still waiting for its answer. */
  readonly meanwhile?: boolean
}

export interface ConformanceCase {
  readonly id: string
  readonly title: string
  readonly steps: readonly CaseStep[]
}

export const WORK = '/api/v1/work'

/** A job in the case's queue; its id is kept under the name given. */
export function enqueueStep(name: string, more: object = {}): CaseStep {
  return {
    say: 'make a job',
    path: '/api/v1/jobs',
    body: { queue: '$queue', kind: 'conformance', ...more },
    expect: { status: 201, body: { id: '$any', deduplicated: false } },
    keep: { [name]: '/id' },
  }
}

export const openLease: CaseStep = {
  say: 'open a lease',
  path: `${WORK}/leases`,
  body: { worker: '$worker', lease_ms: 60_000 },
  expect: { status: 201, body: { lease: '$any', expires_at: '$time' } },
  keep: { lease: '/lease' },
}

/** Claims under the lease, which must bring these jobs in this order. */
export function claimStep(jobs: readonly object[], more: object = {}): CaseStep {
  return {
    say: `claim ${jobs.length} of what is there`,
    path: `${WORK}/claim`,
    body: { worker: '$worker', lease: '$lease', queues: ['$queue'], limit: 10, ...more },
    expect: { status: 200, body: { jobs } },
  }
}

export function fence(job: string, attempt = 1, lease = '$lease') {
  return { job_id: job, attempt, lease }
}

/** Finishes attempts, with the expected result of each. */
export function finishStep(say: string, jobs: readonly object[], answers: readonly object[]): CaseStep {
  return { say, path: `${WORK}/finish`, body: { jobs }, expect: { status: 200, body: { jobs: answers } } }
}

export function expectState(job: string, state: string, more: object = {}): CaseStep {
  return {
    say: `the job is ${state}`,
    method: 'GET',
    path: `/api/v1/jobs/${job}`,
    expect: { status: 200, body: { state, ...more } },
  }
}

export const presence = {
  worker: '$worker',
  host: 'conformance',
  pid: 1,
  version: '0',
  kinds: ['conformance'],
  queues: ['$queue'],
  slots: 1,
  busy: 0,
}

/** One job, claimed under a lease. */
export const oneClaimedJob = [
  enqueueStep('job'),
  openLease,
  claimStep([{ job_id: '$job', attempt: 1, lease: '$lease' }]),
]
