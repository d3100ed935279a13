/** Each of these mistakes, made on purpose in what `explain` asks, must be found by comparing it with claims. */

import { describe, expect, it } from 'vitest'
import { changed, withPins } from '../../support/sql.js'
import { pinnedStore } from '../../support/world.js'
import { compare } from './compare.js'

const MUTANTS = [
  ['limits are forgotten', 'explain', 'if v_open and v_queue.limited then', 'if false then'],
  ['a paused queue is forgotten', 'explain', 'if v_queue.paused_at is not null and', 'if false and'],
  ['a delay that is over still counts', 'explain', 'if v_delayed.due_at > v_now then', 'if true then'],
  ['a dead worker keeps its job', 'state_after_loss', 'l.expires_at <= p_now and', 'false and'],
  [
    'the crash budget is one too large',
    'state_after_loss',
    'r.losses, r.failures',
    'r.losses - 1, r.failures',
  ],
  [
    'a cancel that was asked for is forgotten',
    'state_after_loss',
    "next_state('lost', r.cancel_requested,",
    "next_state('lost', false,",
  ],
  [
    'those that fall due are not seen coming',
    'place_at_target',
    'p_lane is null and d.due_at <= p_now',
    'false',
  ],
  ['a rate of each key is forgotten', 'key_held_back', 'k.tokens + 0.000001 < 1', 'false'],
] as const

describe('comparing with claims finds the mistake', () => {
  it.each(MUTANTS)('%s', async (_mistake, name, from, to) => {
    const store = await pinnedStore('postgres', { connections: 1 })
    await store.database.script(withPins(changed(name, from, to)))
    const { disagreement } = await compare(store, { seed: 11, worlds: 300, endOnFailure: true })
    expect(disagreement).not.toBeNull()
  })
})
