/** What endings and reports must do, and that a fence holds. */
import { type Case, claim, fence, finish, make, one, openLease, stateIs, WORK } from './case.js'

export const ENDINGS: readonly Case[] = [
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
          items: [{ id: '$job' }, { id: '$worker' }, { id: '$worker' }],
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
]
