/** With synchronous replication, what no standby has confirmed is not published: a failover could undo it. */
import type { Store } from 'holdfast/store'
import { expect, it } from 'vitest'
import { CrashingServer } from '../../support/crash.js'

const QUEUE = 'mail'
const END_WAIT = "select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'"

/** From here on every commit waits for a standby that does not exist. */
async function loseStandby(server: CrashingServer): Promise<void> {
  await server.rows("alter system set synchronous_standby_names = 'standby'")
  await server.rows('select pg_reload_conf()')
  // Commits wait once the checkpointer has read the setting, which may be later than the backends: write until a commit waits.
  for (let waits = false; !waits; ) {
    let written = false
    const probe = server.rows("select pg_logical_emit_message(true, 'probe', '')").then(() => {
      written = true
    })
    while (!written && !waits) waits = (await server.rows(END_WAIT)).length > 0
    await probe
  }
}

/** Under a lease that was opened before, so that a claim that finds nothing writes nothing and need not wait. */
async function claimer(store: Store, worker: string) {
  const { lease } = await store.work.openLease(worker, 60_000)
  return () => store.work.claim({ worker, lease, queues: [QUEUE] })
}

it('6.01 a claim that no synchronous standby has confirmed is reported as unknown, and no other worker gets its job', async () => {
  const server = await CrashingServer.start()
  const store = await server.store()
  const other = await server.store()
  const { jobId } = await store.enqueue({ queue: QUEUE, kind: 'welcome' })
  const claim = await claimer(store, 'w1')
  const claimElsewhere = await claimer(other, 'w2')
  await loseStandby(server)
  const unknown = expect(claim()).rejects.toMatchObject({
    code: 'deadline_exceeded',
    details: { effect: 'unknown' },
  })
  // While the claim waits for the standby its row is locked, and so is invisible to others.
  while (
    (await server.rows("select from pg_stat_activity where wait_event = 'SyncRep' and state = 'active'"))
      .length === 0
  );
  expect(await claimElsewhere()).toEqual([])
  await unknown
  // Committed here, confirmed nowhere: the job is held by the lease of the claim and is not claimed again before that ends.
  expect(await server.rows<{ id: number }>('select job_id::int as id from holdfast.running')).toEqual([
    { id: jobId },
  ])
  expect(await claimElsewhere()).toEqual([])
})

it('6.01 an enqueue that no synchronous standby has confirmed is reported as unknown', async () => {
  const server = await CrashingServer.start()
  const store = await server.store()
  await store.enqueue({ queue: QUEUE, kind: 'first' })
  await loseStandby(server)
  await expect(store.enqueue({ queue: QUEUE, kind: 'welcome' })).rejects.toMatchObject({
    code: 'deadline_exceeded',
    details: { effect: 'unknown' },
  })
})
