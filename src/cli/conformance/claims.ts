/** Cases of `holdfast conformance` about claims: what a server must answer to a worker that claims. */
import {
  type ConformanceCase,
  claimStep,
  enqueueStep,
  expectState,
  fence,
  finishStep,
  openLease,
  WORK,
} from './case.js'

export const CLAIMS: readonly ConformanceCase[] = [
  {
    id: 'claim-order',
    title: 'jobs come highest priority first, then oldest, and no more than asked for',
    steps: [
      enqueueStep('low'),
      enqueueStep('old', { priority: 50 }),
      enqueueStep('young', { priority: 50 }),
      enqueueStep('high', { priority: 90 }),
      openLease,
      claimStep([{ job_id: '$high' }, { job_id: '$old' }, { job_id: '$young' }], { limit: 3 }),
      claimStep([{ job_id: '$low' }]),
      claimStep([]),
    ],
  },
  {
    id: 'claim-content',
    title: 'a claimed job brings what its handler needs',
    steps: [
      enqueueStep('job', {
        input: { a: [1, null, 'ü'] },
        key: 'k',
        subject: 's',
        trace: 't',
        timeout_ms: 5000,
      }),
      openLease,
      claimStep([
        {
          job_id: '$job',
          attempt: 1,
          lease: '$lease',
          expires_at: null,
          queue: '$queue',
          kind: 'conformance',
          input: { a: [1, null, 'ü'] },
          key: 'k',
          subject: 's',
          trace: 't',
          timeout_ms: 5000,
          created_at: '$time',
          failures: 0,
          progress: null,
        },
      ]),
    ],
  },
  {
    id: 'claim-own-lease',
    title: 'a claim without a lease gives each job one of its own',
    steps: [
      enqueueStep('job'),
      {
        ...claimStep([{ job_id: '$job', lease: '$any', expires_at: '$time' }], {
          lease: undefined,
          lease_ms: 60_000,
        }),
        keep: { own: '/jobs/0/lease' },
      },
      finishStep(
        'end it under that lease',
        [{ ...fence('$job', 1, '$own'), outcome: 'succeeded' }],
        [{ job_id: '$job', accepted: true, state: 'succeeded' }],
      ),
    ],
  },
  {
    id: 'claim-waits',
    title: 'a claim that may wait is answered when a job comes',
    steps: [
      openLease,
      { ...claimStep([{ attempt: 1, kind: 'conformance' }], { wait_ms: 20_000 }), say: 'claim and wait' },
      { ...enqueueStep('job'), meanwhile: true },
    ],
  },
  {
    id: 'claim-lease-gone',
    title: 'a claim under a lease that is not there is refused',
    steps: [
      enqueueStep('job'),
      {
        say: 'claim under a closed lease',
        path: `${WORK}/claim`,
        body: { worker: '$worker', lease: 4_503_599_627_370_495, queues: ['$queue'] },
        expect: {
          status: 409,
          body: { code: 'lease_gone', type: 'urn:holdfast:problem:lease_gone', remedy: '$any' },
        },
      },
      expectState('$job', 'queued'),
    ],
  },
]
