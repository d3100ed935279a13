/** A job is looked up in its own range only, however many ranges there are: counted in pages looked at. */
import type { Store } from 'holdfast/store'
import { expect, it } from 'vitest'
import { type Call, costOf } from '../../support/plans.js'
import { freshStore, onEachDriver } from '../../support/world.js'
import { narrow } from './narrow.js'

const RANGES = 40
const PER_RANGE = 10

/** The same jobs in one range, or in forty: some wait, some run, some have failed. */
async function worldOf(driver: 'postgres' | 'pglite', width: number): Promise<World> {
  const store = await freshStore(driver, { connections: 1 })
  await narrow(store, width)
  await store.enqueueMany(
    Array.from({ length: RANGES * PER_RANGE }, (_, index) => ({
      queue: 'mail',
      kind: 'send',
      maxRetries: 0,
      ...(index % 2 === 0 ? { key: `k${index}` } : {}),
    })),
  )
  const { lease } = await store.work.openLease('w', 60_000)
  const claimed = await store.work.claim({ worker: 'w', lease, queues: ['mail'], limit: 40 })
  await store.work.finish(
    claimed.slice(0, 20).map((job) => ({ ...job, outcome: 'failed' as const, error: { message: 'no' } })),
  )
  const running = claimed.slice(20, 25)
  return { store, lease, running, failed: claimed[0]?.jobId as number, queue: claimed[0]?.queueId as number }
}

interface World {
  readonly store: Store
  readonly lease: number
  readonly running: readonly { jobId: number; attempt: number; lease: number }[]
  readonly failed: number
  readonly queue: number
}

function calls({ lease, running, failed, queue }: World): Record<string, Call> {
  const fences = [running.map((r) => r.jobId), running.map((r) => r.attempt), running.map((r) => r.lease)]
  const finish = `select count(*) from holdfast.finish($1::bigint[], $2::int[], $3::bigint[], $4::text[], $5::int[], $6::text[]::jsonb[])`
  const ends = (outcome: string, detail: string | null) => [
    ...fences,
    running.map(() => outcome),
    running.map(() => null),
    detail === null ? null : running.map(() => detail),
  ]
  return {
    claim: {
      text: 'select count(*) from holdfast.claim_batch($1, $2, $3::int[], 5)',
      values: ['w', lease, [queue]],
    },
    'finish, succeeded': { text: finish, values: ends('succeeded', null) },
    'finish, failed': { text: finish, values: ends('failed', '{"message": "no"}') },
    retry: { text: 'select holdfast.retry($1)', values: [failed] },
    job_history: { text: 'select holdfast.job_history($1)', values: [failed] },
    explain: { text: 'select count(*) from holdfast.explain($1)', values: [failed] },
    'the view jobs': { text: 'select * from holdfast.jobs where id = $1', values: [failed] },
  }
}

/** The least of several: the first five times a nested statement may be planned anew, which opens every range. */
async function leastPages(store: Store, call: Call): Promise<number> {
  const costs: number[] = []
  for (let i = 0; i < 5; i += 1) costs.push((await costOf(store, call)).buffers)
  return Math.min(...costs)
}

onEachDriver('looking up a job', (driver) => {
  it('reads no more pages among forty ranges than in one', async () => {
    const [one, forty] = [await worldOf(driver, 1_000_000), await worldOf(driver, PER_RANGE)]
    const [few, many] = [calls(one), calls(forty)]
    const more: Record<string, number> = {}
    for (const [name, call] of Object.entries(few)) {
      more[name] = (await leastPages(forty.store, many[name] as Call)) - (await leastPages(one.store, call))
    }
    // Five jobs stand in two ranges at most. Looking into every range would cost at least forty pages more, each time.
    const tooMany = Object.entries(more).filter(([, pages]) => pages > 20)
    expect(tooMany, JSON.stringify(more)).toEqual([])
  })
})

it('skips the other ranges at run time where the id comes from another row of the statement', async () => {
  const { store, failed } = await worldOf('postgres', PER_RANGE)
  await store.database.script(`set plan_cache_mode = force_generic_plan; set enable_seqscan = off;
    set enable_bitmapscan = off; set enable_hashjoin = off; set enable_mergejoin = off`)
  for (const [table, column] of [
    ['job', 'id'],
    ['attempt', 'job_id'],
  ]) {
    const rows = await store.database.query<{ 'QUERY PLAN': string }>(
      `explain (analyze, costs off, timing off, summary off)
       select * from unnest($1::bigint[]) u (id) join holdfast.${table} x on x.${column} = any (array[u.id])`,
      [[failed]],
    )
    const scans = rows.map((row) => row['QUERY PLAN']).filter((line) => line.includes(' Scan using '))
    expect(scans.length).toBeGreaterThanOrEqual(RANGES)
    expect(scans.filter((line) => !line.includes('never executed'))).toHaveLength(1)
  }
})
