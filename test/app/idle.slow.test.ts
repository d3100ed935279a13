// What an idle process costs the database, counted on a clock of our own: only what the process decides to ask is measured.

import { defineJob, holdfast } from 'holdfast'
import { type Database, type PresetName, type Session, storeOn } from 'holdfast/store'
import { expect, it, onTestFinished, vi } from 'vitest'
import { freshStore } from '../support/world.js'

const idle = defineJob({ kind: 'idle', queue: 'q', handler: async () => null })

const SETTLE_S = 60
const MEASURED_S = 300
const STEP_MS = 50

/** Every statement that goes to the database, and a way to wait until none is under way. */
function counting(database: Database, schema: string) {
  const verb = new RegExp(`${schema}\\.(\\w+)|(pg_notify)`)
  const said = new Map<string, number>()
  let underWay = 0
  let calls = 0
  let heard = 0
  const count = (text: string) => {
    const [, name = text] = verb.exec(text)?.filter((part) => part !== undefined) ?? []
    said.set(name, (said.get(name) ?? 0) + 1)
    if (name === 'pg_notify') calls += 1
  }
  const during = async <T>(work: Promise<T>): Promise<T> => {
    underWay += 1
    try {
      return await work
    } finally {
      underWay -= 1
    }
  }
  const counted: Database = {
    ...database,
    query: (text, values, options) => {
      count(text)
      return during(database.query(text, values, options))
    },
    transaction: (work, options) => {
      count('begin')
      count('commit')
      const session = (of: Session): Session => ({
        query: (text, values) => {
          count(text)
          return of.query(text, values)
        },
        script: (text) => {
          count(text)
          return of.script(text)
        },
      })
      return during(database.transaction((of) => work(session(of)), options))
    },
    listen: (channel, ear) =>
      during(
        (database.listen as NonNullable<Database['listen']>)(channel, {
          ...ear,
          received: (payload) => {
            heard += 1
            ear.received(payload)
          },
          ended: () => ear.ended(),
        }),
      ),
  }
  return {
    counted,
    said,
    /** Resolves when the database has answered everything and what was called out has been heard. */
    async quiet(): Promise<void> {
      for (let still = 0; still < 3; ) {
        await new Promise((resolve) => setImmediate(resolve))
        still = underWay === 0 && heard >= calls ? still + 1 : 0
      }
    },
  }
}

it.each<[most: number, preset: PresetName, beats: string]>([
  [2, 'default', 'ten'],
  [3, 'target', 'two'],
])(
  'with NOTIFY an idle process asks at most %i statements a second (preset %s, which beats every %s seconds)',
  async (most, preset) => {
    const { database, schema } = await freshStore()
    const { counted, said, quiet } = counting(database, schema)
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
    })
    onTestFinished(() => void vi.useRealTimers())
    const store = storeOn(counted, schema)
    const app = await holdfast({ store, jobs: [idle], queues: { q: { preset } } })
    const working = await app.work()
    const pass = async (seconds: number) => {
      for (let ms = 0; ms < seconds * 1000; ms += STEP_MS) {
        vi.advanceTimersByTime(STEP_MS)
        await quiet()
      }
    }
    await pass(SETTLE_S)
    expect(store.wakeups().active).toBe(true)
    said.clear()
    await pass(MEASURED_S)
    const all = Object.fromEntries(said)
    vi.useRealTimers()
    await working.drain()
    expect(all.claim_batch, JSON.stringify(all)).toBeGreaterThan(0)
    expect(all.renew).toBeGreaterThan(0)
    const statements = Object.values(all).reduce((sum, n) => sum + n, 0)
    expect(statements / MEASURED_S, JSON.stringify(all)).toBeLessThanOrEqual(most)
  },
)
