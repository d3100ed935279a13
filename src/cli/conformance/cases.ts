/** What a server of the worker protocol must do. Each case stands alone and has a queue of its own. */
import { type Case, claim, fence, finish, make, openLease, presence, stateIs, WORK } from './case.js'

const one = [make('job'), openLease, claim([{ job_id: '$job', attempt: 1, lease: '$lease' }])]

export const CASES: readonly Case[] = [
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
  {
    id: 'fence',
    title: 'an ending under another attempt or lease is not accepted and changes nothing',
    steps: [
      ...one,
      finish(
        'another attempt, another lease',
        [
          { ...fence('$job', 2), outcome: 'succeeded' },
          { ...fence('$job', 1, 4_503_599_627_370_495 as never), outcome: 'failed' },
        ],
        [
          { job_id: '$job', attempt: 2, accepted: false, state: null },
          { job_id: '$job', attempt: 1, accepted: false, state: null },
        ],
      ),
      stateIs('$job', 'assigned', { attempt: 1 }),
    ],
  },
  {
    id: 'finish-batch',
    title: 'a batch is answered in the order asked, each with what became of its job',
    steps: [
      make('a'),
      make('b'),
      make('c'),
      make('d'),
      openLease,
      claim([{ job_id: '$a' }, { job_id: '$b' }, { job_id: '$c' }, { job_id: '$d' }]),
      finish(
        'four ways to end',
        [
          { ...fence('$d'), outcome: 'snoozed', delay_ms: 3_600_000 },
          { ...fence('$b'), outcome: 'failed', error: { name: 'E', message: 'boom' }, retryable: false },
          { ...fence('$a'), outcome: 'succeeded', result: { n: 1 }, log: 'a line' },
          { ...fence('$c'), outcome: 'released' },
        ],
        [
          { job_id: '$d', accepted: true, state: 'scheduled', due_at: '$time' },
          { job_id: '$b', accepted: true, state: 'failed' },
          { job_id: '$a', accepted: true, state: 'succeeded' },
          { job_id: '$c', accepted: true, state: 'queued' },
        ],
      ),
      stateIs('$a', 'succeeded', { result: { n: 1 } }),
      stateIs('$b', 'failed', { last_error: 'boom' }),
    ],
  },
  {
    id: 'finish-twice',
    title: 'the same ending again is accepted and counts once; another one is not',
    steps: [
      ...one,
      finish('fail', [{ ...fence('$job'), outcome: 'failed' }], [{ accepted: true, state: 'retrying' }]),
      finish(
        'the same again',
        [{ ...fence('$job'), outcome: 'failed' }],
        [{ accepted: true, state: 'retrying' }],
      ),
      finish('another word', [{ ...fence('$job'), outcome: 'succeeded' }], [{ accepted: false }]),
      stateIs('$job', 'retrying', { failures: 1 }),
    ],
  },
  {
    id: 'report',
    title:
      'a report keeps items, cursor and tokens, counts once however often it is sent, and the next attempt goes on from it',
    steps: [
      ...one,
      ...[2, 0].map((fresh) => ({
        say: fresh > 0 ? 'report' : 'the same again',
        path: `${WORK}/report`,
        body: {
          ...fence('$job'),
          items: [{ id: '$queue' }, { id: '$worker' }, { id: '$worker' }],
          cursor: { page: 2 },
          tokens: 7,
        },
        expect: {
          status: 200,
          body: {
            done: false,
            new_items: fresh,
            progress_count: 3,
            result_count: 2,
            tokens_used: 7,
            cancel_requested: false,
          },
        },
      })),
      finish(
        'give it back',
        [{ ...fence('$job'), outcome: 'released' }],
        [{ accepted: true, state: 'queued' }],
      ),
      claim([
        { job_id: '$job', attempt: 2, progress: { cursor: { page: 2 }, progress_count: 3, tokens_used: 7 } },
      ]),
    ],
  },
  {
    id: 'report-done',
    title: 'a report that says done ends the job',
    steps: [
      ...one,
      {
        say: 'report the end',
        path: `${WORK}/report`,
        body: { ...fence('$job'), items: [], done: true, done_reason: 'that is all' },
        expect: { status: 200, body: { done: true, done_reason: 'that is all' } },
      },
      stateIs('$job', 'succeeded'),
    ],
  },
  {
    id: 'report-lost',
    title: 'a report without the job is refused',
    steps: [
      ...one,
      finish('end it', [{ ...fence('$job'), outcome: 'succeeded' }], [{ accepted: true }]),
      {
        say: 'report too late',
        path: `${WORK}/report`,
        body: { ...fence('$job'), items: [1] },
        expect: { status: 409, body: { code: 'lease_lost' } },
      },
    ],
  },
  {
    id: 'renew',
    title: 'a renewal says of each lease whether it lives, and which jobs somebody wants stopped',
    steps: [
      ...one,
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
              { lease: '$lease', alive: true, expires_at: '$time', cancel: ['$job'], revoked: [] },
              { alive: false, expires_at: null, cancel: [], revoked: [] },
            ],
            drain: false,
          },
        },
      },
      finish('obey', [{ ...fence('$job'), outcome: 'canceled' }], [{ accepted: true, state: 'canceled' }]),
    ],
  },
  {
    id: 'start',
    title: 'a beginning is noted once',
    steps: [
      ...one,
      {
        say: 'say that it has begun',
        path: `${WORK}/start`,
        body: { jobs: [{ ...fence('$job'), started_ago_ms: 5 }] },
        expect: { status: 200, body: { job_ids: ['$job'] } },
      },
      stateIs('$job', 'running', { started_at: '$time' }),
    ],
  },
  {
    id: 'close-lease',
    title: 'closing a lease gives back what it holds, uncharged',
    steps: [
      ...one,
      {
        say: 'close it',
        path: `${WORK}/leases/close`,
        body: { lease: '$lease', reason: 'shutdown' },
        expect: { status: 200, body: { released: 1 } },
      },
      stateIs('$job', 'queued', { failures: 0 }),
      finish('end it too late', [{ ...fence('$job'), outcome: 'succeeded' }], [{ accepted: false }]),
    ],
  },
  {
    id: 'keep',
    title: 'keep gives back what the worker does not know of',
    steps: [
      make('known'),
      make('lost'),
      openLease,
      claim([{ job_id: '$known' }, { job_id: '$lost' }]),
      {
        say: 'keep one',
        path: `${WORK}/keep`,
        body: { lease: '$lease', job_ids: ['$known'], older_than_ms: 0 },
        expect: { status: 200, body: { released: 1 } },
      },
      stateIs('$known', 'assigned'),
      stateIs('$lost', 'queued'),
    ],
  },
  {
    id: 'unpark',
    title: 'a parked job comes back when a worker that knows its kind says so',
    steps: [
      ...one,
      finish(
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
      claim([{ job_id: '$job', attempt: 2 }]),
    ],
  },
  {
    id: 'presence',
    title: 'a worker says that it is there, and that it leaves',
    steps: [
      { say: 'beat', path: `${WORK}/beat`, body: presence, expect: { status: 200, body: { drain: false } } },
      {
        say: 'the same with a renewal',
        path: `${WORK}/renew`,
        body: { leases: [], presence },
        expect: { status: 200, body: { leases: [], drain: false, paused: [] } },
      },
      { say: 'leave', path: `${WORK}/leave`, body: { worker: '$worker' }, expect: { status: 204 } },
    ],
  },
  {
    id: 'depth-and-wait',
    title: 'what could be claimed is counted up to a bound, and can be waited for',
    steps: [
      make('a'),
      make('b'),
      {
        say: 'count',
        path: `${WORK}/depth`,
        body: { queues: ['$queue'] },
        expect: { status: 200, body: { depth: 2 } },
      },
      {
        say: 'count to one',
        path: `${WORK}/depth`,
        body: { queues: ['$queue'], most: 1 },
        expect: { status: 200, body: { depth: 1 } },
      },
      {
        say: 'a first wait is answered at once',
        path: `${WORK}/wait`,
        body: { queues: ['$queue'], wait_ms: 20_000 },
        expect: { status: 200, body: { woken: true, seen: '$any' } },
      },
    ],
  },
  {
    id: 'terms',
    title: 'a worker can ask for the terms of its queues',
    steps: [
      {
        say: 'ask',
        path: `${WORK}/terms`,
        body: { queues: ['$queue'] },
        expect: { status: 200, body: { lease_ms: '$any', heartbeat_ms: '$any', grace_ms: '$any' } },
      },
    ],
  },
  {
    id: 'refusal',
    title: 'a mistake is refused as problem+json, with its place and what to do',
    steps: [
      {
        say: 'a limit that is too large, and a field that is not there',
        path: `${WORK}/claim`,
        body: { worker: '$worker', queues: ['$queue'], limit: 100_000, limt: 1 },
        expect: {
          status: 400,
          body: {
            type: 'urn:holdfast:problem:invalid_input',
            code: 'invalid_input',
            status: 400,
            detail: '$any',
            remedy: '$any',
            instance: '$any',
            errors: '$any',
          },
        },
      },
    ],
  },
]
