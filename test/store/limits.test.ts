// Every named limit at its edge: one less and exactly it are taken, one more is not. A caller is refused with the path and the
// limit's name, and nothing is written; what a worker says at the end of a job is cut and flagged, and the job still ends.
import { type EnqueueOptions, HoldfastError } from 'holdfast'
import { LIMITS, type NewJob, type Store } from 'holdfast/store'
import { expect, it, vi } from 'vitest'
import { makeAndClaim } from '../support/claims.js'
import { freshStore, onEachDriver } from '../support/world.js'

const QUEUE = 'q'
const KIB = 1024
const DAY = 86_400_000
const TEN_YEARS = 3_652.5 * DAY

const text = (length: number) => 'x'.repeat(length)
/** A string whose JSON has this many bytes. */
const json = (bytes: number) => text(bytes - 2)
const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels))
const labels = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`l${n}`, 'x']))
const ahead = (ms: number) => new Date(Date.now() + ms)

async function refusal(act: Promise<unknown>): Promise<HoldfastError> {
  const answer = await act.then(
    () => new Error('it was accepted'),
    (error: unknown) => error,
  )
  expect(answer).toBeInstanceOf(HoldfastError)
  return answer as HoldfastError
}

const jobsIn = async (store: Store) => (await store.database.query('select from holdfast.job')).length

interface Edge {
  readonly limit: keyof typeof LIMITS
  readonly path: string
  readonly code?: string
  readonly make: (value: number) => Partial<NewJob> & EnqueueOptions
  readonly taken: readonly number[]
  readonly refused: readonly number[]
}

const length = (limit: Edge['limit'], field: string, most: number): Edge => ({
  limit,
  path: `/${field}`,
  make: (value) => ({ [field]: text(value) }),
  taken: [1, most - 1, most],
  refused: [0, most + 1],
})

const EDGES: Edge[] = [
  {
    limit: 'payloadBytesMax',
    path: '/input',
    code: 'payload_too_large',
    make: (bytes) => ({ input: json(bytes) }),
    taken: [256 * KIB - 1, 256 * KIB],
    refused: [256 * KIB + 1],
  },
  {
    limit: 'depthMax',
    path: `/input${'/0'.repeat(64)}`,
    code: 'too_deep',
    make: (levels) => ({ input: nested(levels) }),
    taken: [63, 64],
    refused: [65],
  },
  length('nameChars', 'queue', 100),
  length('nameChars', 'kind', 100),
  length('nameChars', 'tenant', 100),
  length('keyChars', 'key', 256),
  length('keyChars', 'subject', 256),
  length('targetChars', 'target', 256),
  length('idempotencyKeyChars', 'idempotencyKey', 256),
  {
    limit: 'priority',
    path: '/priority',
    make: (priority) => ({ priority }),
    taken: [0, 1, 99, 100],
    refused: [-1, 101],
  },
  {
    limit: 'maxRetries',
    path: '/maxRetries',
    make: (maxRetries) => ({ maxRetries }),
    taken: [0, 1, 999, 1_000],
    refused: [-1, 1_001],
  },
  {
    limit: 'runAtAheadMs',
    path: '/runAt',
    make: (ms) => ({ runAt: ahead(ms) }),
    taken: [-DAY, 0, TEN_YEARS - 1, TEN_YEARS],
    refused: [TEN_YEARS + 1],
  },
  {
    limit: 'delayMs',
    path: '/delayMs',
    make: (delayMs) => ({ delayMs }),
    taken: [0, TEN_YEARS - 1, TEN_YEARS],
    refused: [-1, TEN_YEARS + 1],
  },
  {
    limit: 'labelsMax',
    path: '/labels',
    make: (count) => ({ labels: labels(count) }),
    taken: [0, 15, 16],
    refused: [17],
  },
]

onEachDriver('a new job', (driver) => {
  it.each(EDGES)(
    '$path is taken up to $limit and refused beyond',
    async ({ limit, path, code, make, taken, refused }) => {
      // The caller's clock bounds run_at; it must not move between making the time and checking it.
      vi.useFakeTimers({ toFake: ['Date'] })
      try {
        const store = await freshStore(driver)
        const enqueue = (value: number) => {
          const { tenant, idempotencyKey, ...job } = make(value)
          const options = {
            ...(tenant === undefined ? {} : { tenant }),
            ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
          }
          return store.enqueue({ queue: QUEUE, kind: 'k', ...job }, options)
        }
        for (const value of taken)
          expect(await enqueue(value), `${value}`).toMatchObject({ deduplicated: false })
        for (const value of refused) {
          const { code: refusedAs, details, remedy } = await refusal(enqueue(value))
          expect([refusedAs, details.path, details.limit], `${value}`).toEqual([
            code ?? 'invalid_input',
            path,
            limit,
          ])
          expect(remedy).not.toBe('')
        }
        expect(await jobsIn(store)).toBe(taken.length)
      } finally {
        vi.useRealTimers()
      }
    },
  )

  it('counts characters as Postgres does: 256 of four bytes each fit into a key', async () => {
    const store = await freshStore(driver)
    await store.enqueue({ queue: QUEUE, kind: 'k', key: '😀'.repeat(256), target: '😀'.repeat(256) })
    expect(
      (await refusal(store.enqueue({ queue: QUEUE, kind: 'k', key: '😀'.repeat(257) }))).details,
    ).toMatchObject({ path: '/key' })
    expect(await jobsIn(store)).toBe(1)
  })

  it('of exactly 256 KiB is taken whatever it consists of, and one byte more is refused', async () => {
    const store = await freshStore(driver)
    const at = new Date(0)
    // Small numbers take six times their text in the database; the others are easily counted too high before they are written.
    const parts: Record<string, unknown> = { numbers: 1, lists: [1], objects: {}, dates: at, truths: true }
    for (const [title, part] of Object.entries(parts)) {
      const list = listOf(part, 256 * KIB)
      const { jobId } = await store.enqueue({ queue: QUEUE, kind: 'k', input: list })
      expect((await store.read.job(jobId)).input, title).toHaveLength(list.length)
      const more = [...list.slice(0, -1), `${list.at(-1)}x`]
      expect((await refusal(store.enqueue({ queue: QUEUE, kind: 'k', input: more }))).code, title).toBe(
        'payload_too_large',
      )
    }
  })
})

/** A list of the same part over and over, filled up with text to exactly this many bytes of JSON. */
function listOf(part: unknown, bytes: number): unknown[] {
  const size = JSON.stringify(part).length + 1
  const count = Math.floor((bytes - 100) / size)
  const rest = bytes - 2 - count * size
  const list = [...Array.from({ length: count }, () => part), json(rest)]
  expect(Buffer.byteLength(JSON.stringify(list))).toBe(bytes)
  return list
}

it('a batch has 1 to 10,000 jobs; one more or none at all is refused whole', async () => {
  const store = await freshStore()
  const jobs = (count: number) => Array.from({ length: count }, () => ({ queue: QUEUE, kind: 'k' }))
  for (const count of [0, 10_001]) {
    const { code, details } = await refusal(store.enqueueMany(jobs(count)))
    expect([code, details.path, details.limit]).toEqual(['invalid_input', '/jobs', 'batchMax'])
  }
  expect(await jobsIn(store)).toBe(0)
  for (const count of [1, 9_999, 10_000]) expect(await store.enqueueMany(jobs(count))).toHaveLength(count)
  for (const limit of [0, 10_001]) {
    const claim = store.work.claim({ worker: 'w1', queues: [QUEUE], limit })
    expect((await refusal(claim)).details).toMatchObject({ path: '/limit', limit: 'batchMax' })
  }
  expect(LIMITS.batchMax).toMatchObject({ default: 1_000, hardMax: 10_000 })
})

it('a page has 1 to 500 rows', async () => {
  const store = await freshStore()
  await makeAndClaim(store)
  for (const limit of [1, 499, 500]) {
    expect(await store.read.items({ queue: QUEUE, limit })).toEqual([])
    expect((await store.read.feed('all', limit)).events.length).toBeLessThanOrEqual(limit)
  }
  for (const limit of [0, 501]) {
    for (const act of [store.read.items({ queue: QUEUE, limit }), store.read.feed('all', limit)]) {
      const { code, details } = await refusal(act)
      expect([code, details.path, details.limit]).toEqual(['invalid_input', '/limit', 'pageMax'])
    }
  }
})

it('a lease lasts 1 s to 24 h, opened, claimed or extended; a worker’s name has 1 to 100 characters', async () => {
  const store = await freshStore()
  const job = await makeAndClaim(store)
  for (const ms of [1_000, 1_001, DAY - 1, DAY]) {
    await store.work.openLease('w1', ms)
    await store.work.claim({ worker: 'w1', queues: [QUEUE], leaseMs: ms })
    await store.work.report({ ...job, extendMs: ms, cursor: ms })
  }
  for (const ms of [999, DAY + 1]) {
    const acts = [
      store.work.openLease('w1', ms),
      store.work.claim({ worker: 'w1', queues: [QUEUE], leaseMs: ms }),
      store.work.claimById(job.jobId, { worker: 'w1', leaseMs: ms }),
      store.work.report({ ...job, extendMs: ms }),
    ]
    for (const act of acts)
      expect((await refusal(act)).details).toMatchObject({ path: /^\/(lease|extend)Ms$/, limit: 'leaseMs' })
  }
  for (const name of [text(1), text(99), text(100)]) await store.work.openLease(name, 1_000)
  for (const name of ['', text(101)]) {
    for (const act of [
      store.work.openLease(name, 1_000),
      store.work.claim({ worker: name, queues: [QUEUE] }),
    ]) {
      expect((await refusal(act)).details).toMatchObject({ path: '/worker', limit: 'nameChars' })
    }
  }
})
