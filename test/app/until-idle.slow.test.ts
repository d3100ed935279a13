// What `runUntilIdle` leaves behind: nothing that is due.
import { defineJob } from 'holdfast'
import { type FreshApp, freshApp, runUntilIdle } from 'holdfast/testing'
import { expect, it, onTestFinished } from 'vitest'
import { postgresUrl, withTestSql } from '../support/world.js'

async function appOf(jobs: Parameters<typeof freshApp>[0] = {}): Promise<FreshApp> {
  const app = await freshApp({ ...jobs, url: postgresUrl() })
  onTestFinished(() => app.dispose())
  return { ...app, store: withTestSql(app.store) }
}

const statesOf = async (app: FreshApp) =>
  (
    await app.store.database.query<{ state: string; n: number }>(
      'select state, count(*)::int as n from holdfast.jobs group by 1 order by 1',
    )
  ).map(({ state, n }) => `${n} ${state}`)

it('6.10 runUntilIdle returns when no job is left, also where jobs wait for their targets', async () => {
  const visit = defineJob({ kind: 'visit', handler: async (_ctx, _input: { n: number }) => null })
  const app = await appOf({ jobs: [visit] })
  const left: string[][] = []
  for (let round = 0; round < 30; round += 1) {
    await Promise.all(
      Array.from({ length: 12 }, (_none, n) => app.enqueue(visit, { n }, { target: `t${n % 3}` })),
    )
    await runUntilIdle(app)
    left.push(await statesOf(app))
  }
  expect(left).toEqual(left.map((_none, round) => [`${(round + 1) * 12} succeeded`]))
})

it('6.10 runUntilIdle returns when no job is left, also where two groups give each other work', async () => {
  const pass = (to: string) =>
    async function pass(_ctx: unknown, { n }: { n: number }) {
      if (n > 0) await app.store.enqueue({ queue: to, kind: `from-${to}`, input: { n: n - 1 } })
    }
  const there = defineJob({ kind: 'from-a', queue: 'a', handler: pass('b') })
  const back = defineJob({ kind: 'from-b', queue: 'b', handler: pass('a') })
  const app = await appOf({ jobs: [there, back] })
  const groups = ['a', 'b'].map((queue) => ({ name: queue, queues: [queue], defaultCount: 2, maxCount: 2 }))
  for (let round = 1; round <= 5; round += 1) {
    await app.enqueue(there, { n: 9 })
    await runUntilIdle(app, { groups })
    expect(await statesOf(app)).toEqual([`${round * 10} succeeded`])
  }
})

it('6.10 runUntilIdle waits for a job that another transaction holds, and not for one that may not start yet', async () => {
  const plain = defineJob({ kind: 'plain', queue: 'plain', handler: async () => null })
  const rare = defineJob({ kind: 'rare', queue: 'rare', handler: async () => null })
  const app = await appOf({
    jobs: [plain, rare],
    queues: { rare: { rateLimit: 1, ratePeriodMs: 60_000 } },
  })
  const held = await app.enqueue(plain, null)
  for (let n = 0; n < 3; n += 1) await app.enqueue(rare, null)
  let idle: Promise<void> | undefined
  await app.store.database.transaction(async (session) => {
    await session.query('select holdfast.set_priority($1, 10)', [held.id])
    idle = runUntilIdle(app)
    const first = await Promise.race([idle.then(() => 'idle'), rareEnded(app)])
    expect(first).toBe('the job of the other queue has ended')
  })
  await idle
  expect(await held.status()).toBe('succeeded')
  expect(await statesOf(app)).toEqual(['2 queued', '2 succeeded'])
})

async function rareEnded(app: FreshApp): Promise<string> {
  for (;;) {
    const [row] = await app.store.database.query<{ n: number }>(
      "select count(*)::int as n from holdfast.jobs where kind = 'rare' and state = 'succeeded'",
    )
    if (row?.n === 1) return 'the job of the other queue has ended'
  }
}
