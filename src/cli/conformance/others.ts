/** Conformance cases of presence, long polls, terms and errors. */
import { type ConformanceCase, enqueueStep, presence, WORK } from './case.js'

export const OTHERS: readonly ConformanceCase[] = [
  {
    id: 'presence',
    title: 'a worker registers with a heartbeat, and is removed',
    steps: [
      {
        say: 'heartbeat',
        path: `${WORK}/heartbeat`,
        body: presence,
        expect: { status: 200, body: { drain: false } },
      },
      {
        say: 'the same with a renewal',
        path: `${WORK}/renew`,
        body: { leases: [], presence },
        expect: { status: 200, body: { leases: [], drain: false, paused: [] } },
      },
      {
        say: 'remove the worker',
        path: `${WORK}/remove-worker`,
        body: { worker: '$worker' },
        expect: { status: 204 },
      },
    ],
  },
  {
    id: 'depth-and-wait',
    title: 'what could be claimed is counted up to a bound, and can be waited for',
    steps: [
      enqueueStep('a'),
      enqueueStep('b'),
      {
        say: 'count',
        path: `${WORK}/depth`,
        body: { queues: ['$queue'] },
        expect: { status: 200, body: { depth: 2 } },
      },
      {
        say: 'count to one',
        path: `${WORK}/depth`,
        body: { queues: ['$queue'], max: 1 },
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
