/** Enqueues made at the same time share commits, and nothing else: each has its own answer and its own failure. */
import { describe, expect, it } from 'vitest'
import { answerOf, openSession, untilBlockedBy } from '../../support/sessions.js'
import { expectHealthy, freshStore } from '../../support/world.js'

describe('enqueues at the same time', () => {
  it('travel together: a hundred share a few commits, and each answer comes after its own', async () => {
    const store = await freshStore()
    await store.queues.create('q')
    const other = await openSession(store)
    const seen: Promise<unknown>[] = []
    const asked = Array.from({ length: 100 }, (_, input) =>
      store.enqueue({ queue: 'q', kind: 'k', input }).then(({ jobId }) => {
        seen.push(other.read.job(jobId).then((job) => expect(job).toMatchObject({ state: 'queued', input })))
      }),
    )
    await Promise.all(asked)
    await Promise.all(seen)
    expect(seen).toHaveLength(100)
    const events = await store.database.query("select id from holdfast.event where type = 'enqueued'")
    expect(events.length).toBeLessThanOrEqual(3)
    await expectHealthy(store)
  })

  it('do not fail for another’s input: what the database refuses fails alone', async () => {
    const store = await freshStore()
    await store.queues.create('q')
    await store.database.script("alter table holdfast.job add check (kind <> 'poison')")
    const asked = Array.from({ length: 100 }, (_, n) =>
      answerOf(store.enqueue({ queue: 'q', kind: n === 37 || n === 38 ? 'poison' : 'k', input: n })),
    )
    const answers = await Promise.all(asked)
    const refused = answers.flatMap((answer, n) =>
      (answer as { code?: string }).code === 'invalid_input' ? [n] : [],
    )
    expect(refused).toEqual([37, 38])
    const inputs = await store.database.query<{ input: number }>('select input from holdfast.job order by id')
    expect(inputs.map(({ input }) => input).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 100 }, (_, n) => n).filter((n) => n !== 37 && n !== 38),
    )
    await expectHealthy(store)
  })

  it('that come while a batch is under way wait for it and go with the next', async () => {
    const store = await freshStore()
    await store.queues.create('q')
    const holder = await openSession(store)
    await holder.begin()
    const held = await holder.enqueue({ queue: 'q', kind: 'k', key: 'same' }, { tx: holder.client })
    const first = store.enqueue({ queue: 'q', kind: 'k', key: 'same' })
    await untilBlockedBy(store, holder)
    const later = Array.from({ length: 30 }, () => store.enqueue({ queue: 'q', kind: 'k' }))
    await holder.commit()
    expect(await first).toEqual({ jobId: held.jobId, deduplicated: true })
    await Promise.all(later)
    const [events] = await store.database.query<{ n: number }>(
      "select count(*)::int as n from holdfast.event where type = 'enqueued'",
    )
    expect(events?.n).toBe(2)
  })
})
