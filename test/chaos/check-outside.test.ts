// What handlers wrote down themselves and what a reader of the feed has seen, each made wrong by hand: the checks must say which it was.
import { openStore } from 'holdfast/store'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import type { Begun, Line } from './journal.js'
import { check, violationsOf } from './report.js'
import { SmallWorld } from './small-world.js'

let world: SmallWorld
let drop: () => Promise<void>

beforeAll(async () => {
  const name = `chaos_outside_${process.pid}`
  const admin = new pg.Client({ connectionString: inject('postgresUrl') })
  await admin.connect()
  await admin.query(`create database ${name}`)
  const url = new URL(inject('postgresUrl'))
  url.pathname = `/${name}`
  const store = await openStore({ url: url.href, migrate: true, connections: 3 })
  drop = async () => {
    await world?.close()
    await store.close()
    await admin.query(`drop database ${name} with (force)`)
    await admin.end()
  }
  world = await SmallWorld.live(url.href, store)
})
afterAll(() => drop())

describe('the checks', () => {
  /** A handler of this job that began last, once more: changed, beside itself. */
  const beside = (token: string, change: Partial<Begun>): Line[] => {
    const begun = world.worker.findLast(
      (line): line is Begun => line.t === 'begin' && line.job === world.jobs[token],
    ) as Begun
    const again = { ...begun, at: begun.at - 1_000_000, ...change }
    return [again, { ...again, t: 'end', at: begun.at + 1_000_000 } as Line]
  }
  const HANDLED: [rule: string, how: string, token: string, change: () => Partial<Begun>][] = [
    ['a triple began twice', 'in another process', 'two', () => ({ at: 1 })],
    [
      'a handler began under a claim that is not there',
      'of another attempt',
      'two',
      () => ({ attempt: 9, at: 1 }),
    ],
    ['two handlers of a job at once', 'another attempt ran on', 'two', () => ({ attempt: 9, by: 'other' })],
    ['two handlers at a target at once', 'of another job', 'lane 1', () => ({ job: 4_711, by: 'other' })],
  ]
  it.each(HANDLED)('find, by what handlers wrote: %s (%s)', async (rule, _how, token, change) => {
    const findings = check(
      await world.after('select 1', { workers: [world.worker, beside(token, change())] }),
    )
    expect(violationsOf({ findings }).map((found) => found.rule)).toContain(rule)
  })

  it('do not mind a handler that could do nothing any more: its process was frozen or gone', async () => {
    const lines = beside('two', { by: 'other' })
    const outside = {
      workers: [world.worker, lines],
      processes: [{ by: 'other', at: (lines[0] as Begun).at }],
    }
    const findings = check(await world.after('select 1', outside))
    expect(violationsOf({ findings }).map((found) => found.rule)).toEqual(['a triple began twice'])
  })

  const FOLLOWED: [rule: string, change: (seen: Map<number, number>) => unknown][] = [
    ['the feed missed an event', (seen) => seen.delete([...seen.keys()][3] as number)],
    ['the feed showed an event twice', (seen) => seen.set([...seen.keys()][3] as number, 2)],
    ['the feed showed what is not there', (seen) => seen.set(4_711, 1)],
    ['the feed started over', () => ({})],
  ]
  it.each(FOLLOWED)('find, by what was followed: %s', async (rule, change) => {
    const { followed } = await world.after('select 1')
    const seen = new Map(followed.seen)
    change(seen)
    const restarts = rule === 'the feed started over' ? 1 : 0
    const findings = check(await world.after('select 1', { followed: { ...followed, seen, restarts } }))
    expect(violationsOf({ findings }).map((found) => found.rule)).toEqual([rule])
  })
})
