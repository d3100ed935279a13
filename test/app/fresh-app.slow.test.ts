// The database that a test gets: lent, emptied, and lent again.
import { PGlite } from '@electric-sql/pglite'
import { defineJob } from 'holdfast'
import { freshApp, freshStore } from 'holdfast/testing'
import { expect, it, vi } from 'vitest'

const note = defineJob({ kind: 'note', handler: (_ctx, input: string) => input })

it('6.18 the second freshApp makes no new database, and finds nothing of the first in it', async () => {
  const made = vi.spyOn(PGlite, 'create')
  const first = await freshApp({ jobs: [note], queues: { mail: { maxRetries: 9 } } })
  await first.work({ pollMs: 5 })
  await (await first.enqueue(note, 'a')).result()
  await first.enqueue(note, 'left', { delayMs: 60_000, key: 'k' })
  await first.settings.set('STALE_DAYS', 3)
  await first.store.database.script(
    'create table orders (id int); create schema shop; create table shop.items (id int)',
  )
  await first.clock.set(new Date('2031-01-01T00:00:00Z'))
  await first.dispose()
  const calls = made.mock.calls.length

  const second = await freshApp({ jobs: [note] })
  expect(made).toHaveBeenCalledTimes(calls)
  expect((await second.queues.list()).map(({ name }) => name)).toEqual([])
  expect(await second.settings.get('STALE_DAYS')).toBe(30)
  expect(await second.store.database.query("select from pg_namespace where nspname = 'shop'")).toEqual([])
  await second.store.database.script('create table orders (id int)')
  expect((await second.clock.now()).getUTCFullYear()).not.toBe(2031)
  const { id, deduplicated } = await second.enqueue(note, 'b', { key: 'k' })
  expect({ id, deduplicated }).toEqual({ id: 1, deduplicated: false })
  expect(await second.store.read.violations()).toEqual([])

  const beside = await freshApp({ jobs: [note] })
  expect((await beside.store.list.jobs()).rows).toEqual([])
  await beside.dispose()
  await second.dispose()
  made.mockRestore()
})

it('6.18 what a test has left running cannot write into the database of the next, and a changed schema is not lent again', async () => {
  const first = await freshStore()
  await first.database.script('drop view holdfast.violations')
  await first.dispose()
  await expect(first.enqueue({ queue: 'q', kind: 'late' })).rejects.toMatchObject({ code: 'unavailable' })
  const next = await freshStore()
  expect(await next.read.violations()).toEqual([])
  expect((await next.list.jobs()).rows).toEqual([])
  const [row] = await next.database.query<{ ms: number }>(
    'select abs(extract(epoch from clock_timestamp() - holdfast.now())) * 1000 as ms',
  )
  expect(Number(row?.ms)).toBeLessThan(60_000)
  await next.dispose()
})
