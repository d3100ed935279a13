/** Conformance cases of finish and report, and of the fence. */
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

export const ENDINGS: readonly ConformanceCase[] = [
  {
    id: 'fence',
    title: 'an ending under another attempt or lease is not accepted and changes nothing',
    steps: [
      ...oneClaimedJob,
      finishStep(
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
      expectState('$job', 'assigned', { attempt: 1 }),
    ],
  },
  {
    id: 'finish-batch',
    title: 'a batch is answered in the order asked, each with what became of its job',
    steps: [
      enqueueStep('a'),
      enqueueStep('b'),
      enqueueStep('c'),
      enqueueStep('d'),
      openLease,
      claimStep([{ job_id: '$a' }, { job_id: '$b' }, { job_id: '$c' }, { job_id: '$d' }]),
      finishStep(
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
      expectState('$a', 'succeeded', { result: { n: 1 } }),
      expectState('$b', 'failed', { last_error: 'boom' }),
    ],
  },
  {
    id: 'finish-twice',
    title: 'the same ending again is accepted and counts once; another one is not',
    steps: [
      ...oneClaimedJob,
      finishStep('fail', [{ ...fence('$job'), outcome: 'failed' }], [{ accepted: true, state: 'retrying' }]),
      finishStep(
        'the same again',
        [{ ...fence('$job'), outcome: 'failed' }],
        [{ accepted: true, state: 'retrying' }],
      ),
      finishStep('another outcome', [{ ...fence('$job'), outcome: 'succeeded' }], [{ accepted: false }]),
      expectState('$job', 'retrying', { failures: 1 }),
    ],
  },
  {
    id: 'report',
    title:
      'a report keeps items, cursor and tokens, counts once however often it is sent, and the next attempt goes on from it',
    steps: [
      ...oneClaimedJob,
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
      finishStep(
        'give it back',
        [{ ...fence('$job'), outcome: 'released' }],
        [{ accepted: true, state: 'queued' }],
      ),
      claimStep([
        { job_id: '$job', attempt: 2, progress: { cursor: { page: 2 }, progress_count: 3, tokens_used: 7 } },
      ]),
    ],
  },
  {
    id: 'report-done',
    title: 'a report that says done ends the job',
    steps: [
      ...oneClaimedJob,
      {
        say: 'report the end',
        path: `${WORK}/report`,
        body: { ...fence('$job'), items: [], done: true, done_reason: 'that is all' },
        expect: { status: 200, body: { done: true, done_reason: 'that is all' } },
      },
      expectState('$job', 'succeeded'),
    ],
  },
  {
    id: 'report-lost',
    title: 'a report without the job is refused',
    steps: [
      ...oneClaimedJob,
      finishStep('end it', [{ ...fence('$job'), outcome: 'succeeded' }], [{ accepted: true }]),
      {
        say: 'report too late',
        path: `${WORK}/report`,
        body: { ...fence('$job'), items: [1] },
        expect: { status: 409, body: { code: 'lease_lost' } },
      },
    ],
  },
]
