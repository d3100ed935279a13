/** Each of these mistakes, made on purpose in what `explain` asks, must be found by comparing it with claims. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { pinnedStore } from '../../support/world.js'
import { compare } from './compare.js'

const MUTANTS = [
  ['limits are forgotten', 'verbs/explain', 'if v_open and v_queue.limited then', 'if false then'],
  ['a paused queue is forgotten', 'verbs/explain', 'if v_queue.paused_at is not null and', 'if false and'],
  ['a delay that is over still counts', 'verbs/explain', 'if v_delayed.due_at > v_now then', 'if true then'],
  ['a dead worker keeps its job', 'internal/lost_becomes', 'l.expires_at <= p_now and', 'false and'],
  [
    'the crash budget is one too large',
    'internal/lost_becomes',
    'r.losses + 1 < coalesce',
    'r.losses < coalesce',
  ],
  [
    'a cancel that was asked for is forgotten',
    'internal/lost_becomes',
    'when r.cancel_requested then',
    'when false then',
  ],
  [
    'those that fall due are not seen coming',
    'internal/place_at_target',
    'p_lane is null and d.due_at <= p_now',
    'false',
  ],
  ['a rate of each key is forgotten', 'internal/key_held_back', 'k.tokens + 0.000001 < 1', 'false'],
] as const

describe('comparing with claims finds the mistake', () => {
  it.each(MUTANTS)('%s', { timeout: 180_000 }, async (_mistake, file, from, to) => {
    const right = readFileSync(new URL(`../../../sql/${file}.sql`, import.meta.url), 'utf8')
    expect(right.split(from).length, `"${from}" stands once in ${file}.sql`).toBe(2)
    const store = await pinnedStore('postgres', { connections: 1 })
    await store.database.script(right.replace(from, to))
    const { disagreement } = await compare(store, { seed: 11, worlds: 300, endOnFailure: true })
    expect(disagreement).not.toBeNull()
  })
})
