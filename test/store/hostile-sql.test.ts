// The same through plain SQL, where no library stands in front: the database refuses by itself, clearly and completely.
import { migrateUp, openStore, type Store, storeOn } from 'holdfast/store'
import { describe, expect, it } from 'vitest'
import { expectHealthy, freshStore, onEachDriver, postgresUrl } from '../support/world.js'

const job = (more: object) => JSON.stringify([{ queue: 'q', kind: 'k', ...more }])

/** title, what enqueue_many is given, SQLSTATE */
const REFUSED: [string, string, string][] = [
  ['a NUL', '[{"queue":"q","kind":"k","input":"\\u0000"}]', '22P05'],
  ['a NUL in a key', '[{"queue":"q","kind":"k","key":"a\\u0000"}]', '22P05'],
  ['a lone surrogate', '[{"queue":"q","kind":"k","input":"\\ud800"}]', '22P02'],
  ['no JSON at all', "'; drop table holdfast.job; --", '22P02'],
  ['no list', '{"queue":"q"}', '22023'],
  ['a number past all bounds', '[{"queue":"q","kind":"k","input":1e200000}]', '22003'],
  ['2 MB', job({ input: 'x'.repeat(2_000_000) }), '23514'],
  ['no kind', '[{"queue":"q"}]', '23502'],
  ['no queue', '[{"kind":"k"}]', '23502'],
  ['an empty kind', job({ kind: '' }), '23514'],
  ['a kind of 101 characters', job({ kind: 'k'.repeat(101) }), '23514'],
  ['a queue with a semicolon', job({ queue: 'q; drop' }), '23514'],
  ['a key of 257 characters', job({ key: 'k'.repeat(257) }), '23514'],
  ['a target of 257 characters', job({ target: 't'.repeat(257) }), '23514'],
  ['priority 101', job({ priority: 101 }), '23514'],
  ['priority -1', job({ priority: -1 }), '23514'],
  ['priority 40000', job({ priority: 40_000 }), '22003'],
  ['priority as a word', job({ priority: 'high' }), '22P02'],
  ['1001 retries', job({ max_retries: 1_001 }), '23514'],
  ['a time nobody knows', job({ run_at: 'soonish' }), '22007'],
]

const LIVE = ['job', 'ready', 'held', 'delayed', 'dedup', 'lane', 'event', 'queue', 'idempotency']

async function rowsIn(store: Store): Promise<unknown> {
  const counts = LIVE.map((table) => `(select count(*)::int from holdfast.${table}) as ${table}`)
  return (await store.database.query(`select ${counts.join(', ')}`))[0]
}

onEachDriver('plain SQL', (driver) => {
  it('gives a clear database error for each hostile value, and leaves no half state', async () => {
    const store = await freshStore(driver)
    await store.database.query("select holdfast.enqueue('q', 'k')")
    const before = await rowsIn(store)
    for (const [title, jobs, sqlstate] of REFUSED) {
      const enqueued = store.database.query('select * from holdfast.enqueue_many($1::text::jsonb)', [jobs])
      await expect(enqueued, title).rejects.toMatchObject({ code: 'invalid_input', details: { sqlstate } })
    }
    expect(await rowsIn(store)).toEqual(before)
    await store.database.query("select holdfast.enqueue('q', 'k')")
    await expectHealthy(store)
  })

  it('makes none of a batch when one of it is bad', async () => {
    const store = await freshStore(driver)
    const before = await rowsIn(store)
    const jobs = JSON.stringify([
      { queue: 'q', kind: 'k', key: '1' },
      { queue: 'q', kind: 'k', target: 't' },
      { queue: 'q', kind: '' },
    ])
    const batch = store.database.query(
      "select * from holdfast.enqueue_many($1::text::jsonb, 'default', 'request-1')",
      [jobs],
    )
    await expect(batch).rejects.toMatchObject({ code: 'invalid_input' })
    expect(await rowsIn(store)).toEqual(before)
  })

  it('keeps a wait after a failure within [0, cap · (1 + jitter)], whatever comes in', async () => {
    const store = await freshStore(driver)
    const [row] = await store.database.query<{ tried: number; outside: number }>(
      `select count(*)::int as tried, count(*) filter (where w is null or w < 0 or w > c * 1.2 + 1)::int as outside
       from unnest(array[0, 1, 7, 63, 64, 1000, 100000, 2147483647]) n, unnest(array[0, 1, 30000, 1000000000]::bigint[]) b,
         unnest(array[0, 1, 3600000, 86400000, 315576000000]::bigint[]) c, unnest(array[1, 1.0001, 2, 100]::float8[]) f,
         unnest(array[0, 0.5, 1]::float8[]) r,
         lateral (select holdfast.backoff_ms(n, b, f, c, -0.2, 0.2, r) as w) backoff`,
    )
    expect(row).toEqual({ tried: 1_920, outside: 0 })
  })
})

it('plain SQL refuses JSON nested a hundred thousand deep without harm to the connection (Postgres)', async () => {
  const store = await freshStore()
  const before = await rowsIn(store)
  const deep = '['.repeat(100_000) + ']'.repeat(100_000)
  const enqueued = store.database.query("select holdfast.enqueue('q', 'k', $1::text::jsonb)", [deep])
  await expect(enqueued).rejects.toThrow(/stack depth/)
  expect(await rowsIn(store)).toEqual(before)
})

const INJECTIONS = [
  `'; drop table holdfast.job; --`,
  `"; delete from holdfast.ready; --`,
  `$$; select pg_sleep(9); $$`,
  `\\'; truncate holdfast.job; --`,
  `%s %I $1 ' || (select 1) || '`,
  `{"a": "b"}`,
  `holdfast.job`,
]

describe('text that looks like SQL', () => {
  it.each(INJECTIONS)('is stored as it is in every text field: %s', async (text) => {
    const store = await freshStore()
    await store.queues.create('q', { preset: 'harvest', policy: { serializeTargets: true } })
    const words = { key: text, target: text, subject: text, createdBy: text, trace: text }
    const labels = { note: text }
    const input = { [text]: text }
    const { jobId } = await store.enqueue(
      { queue: 'q', kind: 'k', input, labels, ...words },
      { idempotencyKey: text },
    )
    const [claimed] = await store.work.claim({ worker: 'w1', queues: ['q'] })
    expect(claimed).toMatchObject({ jobId, input, key: text, target: text, subject: text, trace: text })
    if (claimed === undefined) return
    await store.work.report({ ...claimed, items: [{ phone: text }], cursor: text, progress: text })
    await store.commands.boost(jobId, 1, { actor: text, reason: text })
    await store.work.finish([
      { ...claimed, outcome: 'failed', retryable: false, error: new Error(text), log: text, reason: text },
    ])
    await store.queues.pause('q', { actor: text, reason: text })
    expect(await store.read.job(jobId)).toMatchObject({
      key: text,
      target: text,
      subject: text,
      createdBy: text,
      lastCursor: text,
      lastError: text,
      labels,
    })
    expect(await store.read.attempts(jobId)).toMatchObject([
      { errorMessage: text, logExcerpt: text, reason: text, cleaned: null },
    ])
    expect(await store.read.items({ jobId })).toMatchObject([{ key: text, data: { phone: text } }])
    expect(await store.read.events(jobId)).toMatchObject([{ actor: text, reason: text }])
    expect(await store.queues.get('q')).toMatchObject({ pausedBy: text, pauseReason: text })
    await expectHealthy(store)
  })

  it('is refused as the name of a queue, kind, worker, tenant or collection', async () => {
    const store = await freshStore()
    for (const text of INJECTIONS.filter((one) => one !== 'holdfast.job')) {
      const good = { queue: 'q', kind: 'k' }
      const refusals: [Promise<unknown>, string][] = [
        [store.enqueue({ ...good, queue: text }), '/queue'],
        [store.enqueue({ ...good, kind: text }), '/kind'],
        [store.enqueue({ ...good, collection: text }), '/collection'],
        [store.enqueue(good, { tenant: text }), '/tenant'],
        [store.queues.create(text), '/queue'],
        [store.work.openLease(text, 1_000), '/worker'],
        [store.work.claim({ worker: text, queues: ['q'] }), '/worker'],
      ]
      for (const [act, path] of refusals) {
        await expect(act).rejects.toMatchObject({
          code: 'invalid_input',
          details: { path, limit: 'nameChars' },
        })
      }
    }
  })
})

describe('the name of a schema', () => {
  const BAD = [
    '',
    'A',
    '1a',
    '_a',
    'pg_temp',
    'a-b',
    'a.b',
    'a b',
    'a"b',
    "a'b",
    'a;drop schema public',
    'a\0',
    'ä',
    'a'.repeat(41),
  ]

  it('is refused before it reaches any statement', async () => {
    const { database } = await freshStore()
    for (const schema of BAD) {
      const refusal = { code: 'schema_name_invalid', details: { schema } }
      await expect(migrateUp(database, schema)).rejects.toMatchObject(refusal)
      await expect(openStore({ url: postgresUrl(), schema })).rejects.toMatchObject(refusal)
      expect(() => storeOn(database, schema)).toThrow(expect.objectContaining(refusal))
    }
  })

  it('may have 40 characters', async () => {
    const { database } = await freshStore()
    const schema = `t_${'a'.repeat(30)}${Date.now().toString(36).slice(-8)}`
    expect(schema).toHaveLength(40)
    await migrateUp(database, schema)
    const store = storeOn(database, schema)
    expect(await store.enqueue({ queue: 'q', kind: 'k' })).toMatchObject({ deduplicated: false })
    await database.script(`drop schema ${schema} cascade`)
  })
})
