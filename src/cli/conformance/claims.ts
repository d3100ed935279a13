/** What a claim must bring, and what it must not. */
import { type Case, claim, fence, finish, make, openLease, stateIs, WORK } from './case.js'

export const CLAIMS: readonly Case[] = [
  {
    id: 'claim-order',
    title: 'jobs come highest priority first, then oldest, and no more than asked for',
    steps: [
      make('low'),
      make('old', { priority: 50 }),
      make('young', { priority: 50 }),
      make('high', { priority: 90 }),
      openLease,
      claim([{ job_id: '$high' }, { job_id: '$old' }, { job_id: '$young' }], { limit: 3 }),
      claim([{ job_id: '$low' }]),
      claim([]),
    ],
  },
  {
    id: 'claim-content',
    title: 'a claimed job brings what its handler needs',
    steps: [
      make('job', { input: { a: [1, null, 'ü'] }, key: 'k', subject: 's', trace: 't', timeout_ms: 5000 }),
      openLease,
      claim([
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
      make('job'),
      {
        ...claim([{ job_id: '$job', lease: '$any', expires_at: '$time' }], {
          lease: undefined,
          lease_ms: 60_000,
        }),
        keep: { own: '/jobs/0/lease' },
      },
      finish(
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
      { ...claim([{ attempt: 1, kind: 'conformance' }], { wait_ms: 20_000 }), say: 'claim and wait' },
      { ...make('job'), meanwhile: true },
    ],
  },
  {
    id: 'claim-lease-gone',
    title: 'a claim under a lease that is not there is refused',
    steps: [
      make('job'),
      {
        say: 'claim under a closed lease',
        path: `${WORK}/claim`,
        body: { worker: '$worker', lease: 4_503_599_627_370_495, queues: ['$queue'] },
        expect: {
          status: 409,
          body: { code: 'lease_gone', type: 'urn:holdfast:problem:lease_gone', remedy: '$any' },
        },
      },
      stateIs('$job', 'queued'),
    ],
  },
]
