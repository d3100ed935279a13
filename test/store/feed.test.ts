/** The feed: each event once, however late its transaction commits, however small the pages. */
import type { Store } from 'holdfast/store'
import { describe, expect, it } from 'vitest'
import { type HandSession, openSession, openSessions, seeded } from '../support/sessions.js'
import { expectHealthy, freshStore } from '../support/world.js'

/** Someone who reads page by page and keeps the cursor. */
class Follower {
  readonly seen: number[] = []
  cursor: string | undefined

  constructor(readonly store: Store) {}

  /** One page; answers how many events it had. */
  async page(limit: number): Promise<number> {
    const { cursor, events } = await this.store.read.feed(this.cursor, limit)
    this.cursor = cursor
    this.seen.push(...events.flatMap(({ jobIds }) => jobIds))
    return events.length
  }

  /** Pages until one is not full; answers the jobs that came. */
  async catchUp(limit = 500): Promise<number[]> {
    const before = this.seen.length
    while ((await this.page(limit)) === limit);
    return this.seen.slice(before)
  }
}

async function worldWithFollower(): Promise<{ store: Store; follower: Follower }> {
  const store = await freshStore()
  await store.queues.create('q')
  const follower = new Follower(store)
  expect(await follower.catchUp()).toEqual([])
  return { store, follower }
}

/** Each enqueue in a session's open transaction is one event, with the job's id to know it by. */
async function happen(session: HandSession): Promise<number> {
  return (await session.enqueue({ queue: 'q', kind: 'k' }, { tx: session.client })).jobId
}

async function happenNow(store: Store): Promise<number> {
  return (await store.enqueue({ queue: 'q', kind: 'k' })).jobId
}

describe('a transaction that commits late', () => {
  it('is delivered when it commits, after what was written later and committed earlier', async () => {
    const { store, follower } = await worldWithFollower()
    const late = await openSession(store)
    await late.begin()
    const first = await happen(late)
    const second = await happenNow(store)
    expect(await follower.catchUp()).toEqual([second])
    expect(await follower.catchUp()).toEqual([])
    await late.commit()
    expect(await follower.catchUp()).toEqual([first])
    expect(await follower.catchUp()).toEqual([])
    await expectHealthy(store)
  })

  it('is delivered whole, also what it wrote before and between two looks', async () => {
    const { store, follower } = await worldWithFollower()
    const late = await openSession(store)
    await late.begin()
    const written = [await happen(late)]
    const between = [await happenNow(store)]
    await follower.catchUp()
    written.push(await happen(late))
    between.push(await happenNow(store))
    await follower.catchUp()
    written.push(await happen(late))
    await late.commit()
    expect(await follower.catchUp()).toEqual(written)
    expect(follower.seen).toEqual([...between, ...written])
  })

  it('is never delivered when it rolls back', async () => {
    const { store, follower } = await worldWithFollower()
    const late = await openSession(store)
    await late.begin()
    await happen(late)
    const kept = await happenNow(store)
    expect(await follower.catchUp()).toEqual([kept])
    await late.rollback()
    expect(await follower.catchUp()).toEqual([])
    expect(await follower.catchUp()).toEqual([])
  })

  it('that commits between two pages of one look comes with the next look, once', async () => {
    const { store, follower } = await worldWithFollower()
    const late = await openSession(store)
    await late.begin()
    const held = await happen(late)
    const others = [await happenNow(store), await happenNow(store), await happenNow(store)]
    expect(await follower.page(2)).toBe(2)
    await late.commit()
    expect(await follower.catchUp(2)).toEqual(others.slice(2))
    expect(await follower.catchUp(2)).toEqual([held])
    expect(follower.seen).toEqual([...others, held])
  })

  it('does not hold up the others, in whichever order several of them end', async () => {
    const { store, follower } = await worldWithFollower()
    const sessions = await openSessions(store, 4)
    const jobs: number[] = []
    for (const session of sessions) {
      await session.begin()
      jobs.push(await happen(session))
    }
    for (const n of [2, 0, 3, 1]) {
      await (n === 3 ? sessions[n]?.rollback() : sessions[n]?.commit())
      expect(await follower.catchUp()).toEqual(n === 3 ? [] : [jobs[n]])
    }
  })
})

describe('pages and cursors', () => {
  it('give the same events in the same order at any page size', async () => {
    const { store, follower } = await worldWithFollower()
    const start = follower.cursor
    const jobs: number[] = []
    for (let n = 0; n < 12; n += 1) jobs.push(await happenNow(store))
    for (const limit of [1, 2, 3, 4, 5, 11, 12, 13, 500]) {
      const reader = new Follower(store)
      reader.cursor = start
      expect(await reader.catchUp(limit), `pages of ${limit}`).toEqual(jobs)
      expect(await reader.catchUp(limit)).toEqual([])
    }
  })

  it('start from everything kept with "all", and from now on with nothing', async () => {
    const { store } = await worldWithFollower()
    const jobs = [await happenNow(store), await happenNow(store)]
    const [all, now] = [new Follower(store), new Follower(store)]
    all.cursor = 'all'
    expect(await now.catchUp()).toEqual([])
    expect(await all.catchUp(1)).toEqual(jobs)
    const next = await happenNow(store)
    expect(await all.catchUp()).toEqual([next])
    expect(await now.catchUp()).toEqual([next])
  })

  it('can be used again: a page whose reply was lost is read a second time with the old cursor', async () => {
    const { store, follower } = await worldWithFollower()
    const jobs = [await happenNow(store), await happenNow(store), await happenNow(store)]
    await follower.page(1)
    const { cursor } = follower
    const again = new Follower(store)
    again.cursor = cursor
    expect(await follower.catchUp(1)).toEqual(jobs.slice(1))
    expect(await again.catchUp(1)).toEqual(jobs.slice(1))
  })
})

describe('any interleaving', () => {
  it.each([1, 2, 3, 4, 5, 6])('delivers each committed event once and no other (seed %i)', async (seed) => {
    const { store, follower } = await worldWithFollower()
    const random = seeded(seed)
    const sessions = await openSessions(store, 4)
    const open = new Map<HandSession, number[]>()
    const committed: number[][] = []

    async function step(session: HandSession): Promise<void> {
      const written = open.get(session)
      const chance = random()
      if (written === undefined) {
        await session.begin()
        open.set(session, [])
      } else if (chance < 0.6) {
        written.push(await happen(session))
      } else {
        await (chance < 0.9 ? session.commit() : session.rollback())
        if (chance < 0.9) committed.push(written)
        open.delete(session)
      }
    }

    for (let n = 0; n < 250; n += 1) {
      if (random() < 0.25) await follower.page(1 + Math.floor(random() * 3))
      else await step(sessions[Math.floor(random() * sessions.length)] as HandSession)
    }
    for (const [session, written] of open) {
      await session.commit()
      committed.push(written)
    }
    await follower.catchUp(2)
    await follower.catchUp(2)
    expect([...follower.seen].sort((a, b) => a - b)).toEqual(committed.flat().sort((a, b) => a - b))
    for (const written of committed) {
      const own = new Set(written)
      expect(follower.seen.filter((jobId) => own.has(jobId))).toEqual(written)
    }
    await expectHealthy(store)
  })
})
