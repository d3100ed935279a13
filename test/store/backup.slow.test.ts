/** The drill of docs/operate/backup.md: a dump, more work, and the dump restored on another server. Cursors: feed-elsewhere. */
import type { Store } from 'holdfast/store'
import { expect, it } from 'vitest'
import { CrashingServer } from '../support/crash.js'
import { restoredElsewhere } from '../support/restore.js'
import { expectHealthy } from '../support/world.js'

const JOB = { queue: 'q', kind: 'k' }
/** Half an hour away, so that no slot falls due while the test runs. */
const HOURLY = `${(new Date().getUTCMinutes() + 30) % 60} * * * *`

async function countedJobs(store: Store): Promise<unknown> {
  while ((await store.upkeep.countMinutes()) > 0);
  const [row] = await store.database.query(
    'select sum(enqueued)::int as enqueued, sum(succeeded)::int as succeeded from holdfast.queue_minute',
  )
  return row
}

it('after a restore jobs, leases, keys, schedules and counts are as of the dump, and work continues', async () => {
  const [here, there] = await Promise.all([CrashingServer.start(), CrashingServer.start()])
  // A server of its own history: its transaction ids are not those of the other one.
  await there.rows('do $$ begin for n in 1..300 loop perform pg_current_xact_id(); commit; end loop; end $$')
  const store = await here.store()
  await store.queues.create('q')
  for (const [name, catchUp] of [
    ['once', 'latest'],
    ['never', 'skip'],
  ] as const)
    await store.schedules.create({ name, ...JOB, expression: HOURLY, catchUp }, { actor: 'ops' })
  const { secret } = await store.keys.create({ tenant: 'default', name: 'app', scopes: ['read'] })
  const lease = (await store.work.openLease('w', 60_000)).lease
  for (let n = 0; n < 3; n += 1) await store.enqueue(JOB)
  const [first, second] = await store.work.claim({ worker: 'w', lease, queues: ['q'], limit: 2 })
  if (first === undefined || second === undefined) throw new Error('two jobs were claimed')
  await store.work.start([first])
  await store.work.finish([{ ...second, outcome: 'succeeded' }])
  await countedJobs(store)

  const copy = await restoredElsewhere(store, there.url)
  // After the dump: this is lost.
  await store.work.finish([{ ...first, outcome: 'succeeded' }])
  const lost = await store.enqueue(JOB)

  const stateOf = async (jobId: number) => (await copy.read.job(jobId))?.state
  expect(await stateOf(second.jobId)).toBe('succeeded')
  expect(await stateOf(first.jobId)).toBe('running')
  await expect(copy.read.job(lost.jobId)).rejects.toMatchObject({ code: 'unknown_job' })
  // An id that was given out after the dump is given out again.
  expect((await copy.enqueue({ ...JOB, kind: 'other' })).jobId).toBe(lost.jobId)
  expect(await copy.keys.authenticate(secret)).toMatchObject({ name: 'app' })

  // The lease of before claims nothing here, and its job is taken back when it ends; that runs the job again.
  await expect(copy.work.claim({ worker: 'w', lease, queues: ['q'] })).rejects.toMatchObject({
    code: 'lease_stale',
  })
  await copy.database.script(
    `update holdfast.lease set expires_at = now() - interval '1 hour';
     create or replace function holdfast.accepting_writes_since() returns timestamptz language sql stable
       as $$ select now() - interval '1 day' $$`,
  )
  expect(await copy.upkeep.reclaim()).toBe(1)
  const [late] = await copy.work.finish([{ ...first, outcome: 'succeeded' }])
  expect(late).toMatchObject({ accepted: false })

  // Five hours passed between dump and restore.
  await copy.database.script(
    "update holdfast.schedule set next_slot = next_slot - interval '5 hours', next_run_at = next_run_at - interval '5 hours'",
  )
  await copy.scheduler.fireDue()
  const firings = await copy.database.query<{ name: string; outcome: string }>(
    `select s.name, f.outcome from holdfast.firing f join holdfast.schedule s on s.id = f.schedule_id order by 1, 2`,
  )
  expect(firings.filter(({ outcome }) => outcome === 'created')).toEqual([
    { name: 'once', outcome: 'created' },
  ])
  expect(firings.filter(({ name }) => name === 'never').map(({ outcome }) => outcome)).not.toContain(
    'created',
  )

  // Three jobs of the dump, one enqueued here, one of the schedule.
  expect(await countedJobs(copy)).toEqual({ enqueued: 5, succeeded: 1 })
  await expectHealthy(copy)
})
