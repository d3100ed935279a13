/** Cases of `holdfast conformance` about leases: opening, renewing, losing and closing one. */
import {
  type ConformanceCase,
  claimStep,
  enqueueStep,
  expectState,
  fence,
  finishStep,
  oneClaimedJob,
  openLease,
  WORK,
} from './case.js'

export const LEASES: readonly ConformanceCase[] = [
  {
    id: 'renew',
    title: 'a renewal returns for each lease whether it is alive, and which jobs to cancel',
    steps: [
      ...oneClaimedJob,
      {
        say: 'cancel it',
        path: '/api/v1/jobs/$job/cancel',
        expect: { status: 202, body: { result: 'requested' } },
      },
      {
        say: 'renew',
        path: `${WORK}/renew`,
        body: { leases: ['$lease', 4_503_599_627_370_495] },
        expect: {
          status: 200,
          body: {
            leases: [
              {
                lease: '$lease',
                alive: true,
                expires_at: '$time',
                cancel: [{ job_id: '$job', attempt: 1 }],
                revoked: [],
              },
              { alive: false, expires_at: null, cancel: [], revoked: [] },
            ],
            drain: false,
          },
        },
      },
      finishStep(
        'obey',
        [{ ...fence('$job'), outcome: 'canceled' }],
        [{ accepted: true, state: 'canceled' }],
      ),
    ],
  },
  {
    id: 'start',
    title: 'a beginning is noted once',
    steps: [
      ...oneClaimedJob,
      {
        say: 'say that it has begun',
        path: `${WORK}/start`,
        body: { jobs: [{ ...fence('$job'), started_ago_ms: 5 }] },
        expect: { status: 200, body: { jobs: [{ job_id: '$job', attempt: 1 }] } },
      },
      expectState('$job', 'running', { started_at: '$time' }),
    ],
  },
  {
    id: 'close-lease',
    title: 'closing a lease gives back what it holds, uncharged',
    steps: [
      ...oneClaimedJob,
      {
        say: 'close it',
        path: `${WORK}/leases/close`,
        body: { lease: '$lease', reason: 'shutdown' },
        expect: { status: 200, body: { released: 1 } },
      },
      expectState('$job', 'queued', { failures: 0 }),
      finishStep('end it too late', [{ ...fence('$job'), outcome: 'succeeded' }], [{ accepted: false }]),
    ],
  },
  {
    id: 'release-unlisted',
    title: 'release-unlisted releases the jobs that the worker does not list',
    steps: [
      enqueueStep('known'),
      enqueueStep('lost'),
      openLease,
      claimStep([{ job_id: '$known' }, { job_id: '$lost' }]),
      {
        say: 'list one of two',
        path: `${WORK}/release-unlisted`,
        body: { lease: '$lease', jobs: [{ job_id: '$known', attempt: 1 }], older_than_ms: 0 },
        expect: { status: 200, body: { released: 1 } },
      },
      expectState('$known', 'assigned'),
      expectState('$lost', 'queued'),
    ],
  },
  {
    id: 'unpark',
    title: 'a parked job comes back when a worker that knows its kind says so',
    steps: [
      ...oneClaimedJob,
      finishStep(
        'park it',
        [{ ...fence('$job'), outcome: 'parked', reason: 'no handler' }],
        [{ accepted: true, state: 'parked' }],
      ),
      {
        say: 'know its kind',
        path: `${WORK}/unpark`,
        body: { queues: ['$queue'], kinds: ['conformance'] },
        expect: { status: 200, body: { unparked: 1 } },
      },
      claimStep([{ job_id: '$job', attempt: 2 }]),
    ],
  },
]
