import { randomBytes } from 'node:crypto'
import { HoldfastError } from 'holdfast'
import type { Enqueued, Store } from 'holdfast/store'
import { expect, it } from 'vitest'
import { expectHealthy, freshStore } from '../../support/world.js'
import { storeOnSmallDisk } from './small-disk.js'

const JOBS = 20
/** Random, so that nothing of it can be compressed away. */
const batch = () =>
  Array.from({ length: JOBS }, () => ({
    queue: 'big',
    kind: 'store',
    input: { text: randomBytes(24_000).toString('base64') },
  }))

/** Enqueues until the database refuses, and answers what was acknowledged before and the refusal. */
async function fill(store: Store): Promise<{ acked: number[]; refusal: HoldfastError }> {
  const acked: number[] = []
  for (;;) {
    try {
      acked.push(...(await store.enqueueMany(batch())).map(({ jobId }: Enqueued) => jobId))
    } catch (error) {
      expect(error).toBeInstanceOf(HoldfastError)
      return { acked, refusal: error as HoldfastError }
    }
  }
}

async function stored(store: Store): Promise<number[]> {
  const rows = await store.database.query<{ id: number }>('select id from holdfast.job order by id')
  return rows.map(({ id }) => id)
}

async function finishEverything(store: Store): Promise<number[]> {
  const ended: number[] = []
  for (;;) {
    const { lease } = await store.work.openLease('w', 60_000)
    const claimed = await store.work.claim({ worker: 'w', lease, queues: ['big'], limit: 50 })
    if (claimed.length === 0) return ended.sort((a, b) => a - b)
    const answers = await store.work.finish(claimed.map((job) => ({ ...job, outcome: 'succeeded' as const })))
    ended.push(...answers.filter(({ accepted }) => accepted).map(({ jobId }) => jobId))
  }
}

it('says unavailable while the disk is full, has stored what it acknowledged and nothing else, and goes on by itself when there is room', async () => {
  const disk = await storeOnSmallDisk()
  const { store } = disk
  const { acked, refusal } = await fill(store)
  expect(refusal).toMatchObject({ code: 'unavailable', status: 503, details: { sqlstate: '53100' } })
  expect(disk.freeBytes()).toBeLessThan(2 ** 20)
  expect(acked.length).toBeGreaterThan(100)
  expect(await stored(store)).toEqual(acked)
  await expectHealthy(store)

  await disk.makeRoom()
  const [after] = await store.enqueueMany(batch())
  expect(after?.jobId).toBeGreaterThan(acked.at(-1) as number)
  expect((await finishEverything(store)).slice(0, acked.length)).toEqual(acked)
  await expectHealthy(store)
})

it('waits for room within its deadline: a call that can be repeated succeeds as soon as there is some', async () => {
  const store = await freshStore()
  await store.database.script(`
    create sequence holdfast.tries;
    create table holdfast.full_disk ();
    create function holdfast.disk_is_full() returns trigger language plpgsql as $$
    begin
      perform nextval('holdfast.tries');
      if to_regclass('holdfast.full_disk') is not null then
        raise exception using errcode = '53100', message = 'could not extend file: No space left on device';
      end if;
      return null;
    end $$;
    create trigger disk_is_full after insert on holdfast.job for each statement execute function holdfast.disk_is_full()`)
  const enqueued = store.enqueue({ queue: 'big', kind: 'store' })
  // A sequence keeps what it gave even when the rest is rolled back: this call was refused at least twice.
  for (let tries = 0; tries < 2; ) {
    const [row] = await store.database.query<{ n: number }>('select last_value as n from holdfast.tries')
    tries = row?.n ?? 0
  }
  await store.database.script('drop table holdfast.full_disk')
  const { jobId } = await enqueued
  expect(await stored(store)).toEqual([jobId])
  await expectHealthy(store)
})

it('says that the disk is full also when the deadline ends its last attempt', async () => {
  const store = await freshStore()
  await store.database.script(`
    create sequence holdfast.tries;
    create function holdfast.disk_is_full() returns trigger language plpgsql as $$
    begin
      if nextval('holdfast.tries') > 1 then perform pg_sleep(60); end if;
      raise exception using errcode = '53100', message = 'could not extend file: No space left on device';
    end $$;
    create trigger disk_is_full after insert on holdfast.job for each statement execute function holdfast.disk_is_full()`)
  await expect(store.enqueue({ queue: 'big', kind: 'store' })).rejects.toMatchObject({
    code: 'unavailable',
    details: { sqlstate: '53100' },
  })
  expect(await stored(store)).toEqual([])
})
