import { existsSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { resolvePolicy } from '../../src/domain/settings.js'
import { stateDiagram, stateMachinePage } from '../../src/domain/states/diagram.js'
import { ENDINGS } from '../../src/domain/states/endings.js'
import { legal, legalMoves, MOVES } from '../../src/domain/states/moves.js'
import { ATTEMPT_OUTCOMES, isEnded, placeOf, STATES, type State } from '../../src/domain/states/states.js'
import { decide } from '../../src/domain/states/transition.js'
import { PRESETS } from '../../src/presets/presets.js'
import { stateWord } from '../../src/presets/state-words.js'

const fresh = { failures: 0, losses: 0, interruptions: 0, cancelRequested: false }
const usual = resolvePolicy(PRESETS.default)
const target = resolvePolicy(PRESETS.target)

const someLive = fc.record({
  failures: fc.nat(6),
  losses: fc.nat(6),
  interruptions: fc.nat(6),
  cancelRequested: fc.boolean(),
})
const somePolicy = fc
  .record({
    maxRetries: fc.nat(6),
    onLeaseLost: fc.constantFrom('retry' as const, 'error' as const),
    crashBudget: fc.option(fc.integer({ min: 1, max: 6 })),
    onCancel: fc.constantFrom('cancel' as const, 'pause' as const),
    onShutdown: fc.constantFrom('release' as const, 'pause' as const),
    onError: fc.constantFrom('continue' as const, 'block' as const),
  })
  .map((fields) => ({ ...usual, ...fields }))
const someOutcome = fc.constantFrom(...ATTEMPT_OUTCOMES)
const someFacts = fc.record({
  retryable: fc.boolean(),
  delayMs: fc.integer({ min: -5, max: 1e6 }),
  random: fc.double({ min: 0, max: 1, noNaN: true }),
})

describe('decide', () => {
  it('a success ends the job, whatever was asked meanwhile', () => {
    for (const cancelRequested of [false, true]) {
      const next = decide({ ...fresh, losses: 2, cancelRequested }, 'succeeded', target)
      expect(next).toMatchObject({
        place: 'attempt',
        state: 'succeeded',
        ended: 'succeeded',
        outcome: 'succeeded',
      })
    }
  })

  it('a failure is retried while retries are left, counted, and forgives losses', () => {
    const next = decide({ ...fresh, failures: 3, losses: 2 }, 'failed', usual, { random: 0.5 })
    expect(next).toMatchObject({ place: 'delayed', state: 'retrying', dueInMs: 40_000, ended: null })
    expect(next.counters).toEqual({ failures: 4, losses: 0, interruptions: 0 })
  })

  it('with 4 retries the fifth failure is the last', () => {
    expect(decide({ ...fresh, failures: 3 }, 'failed', usual).state).toBe('retrying')
    expect(decide({ ...fresh, failures: 4 }, 'failed', usual)).toMatchObject({
      state: 'failed',
      reason: 'exhausted',
    })
  })

  it('a failure that is not retryable ends the job at once', () => {
    const next = decide(fresh, 'failed', usual, { retryable: false })
    expect(next).toMatchObject({ ended: 'failed', reason: 'not_retryable', dueInMs: null })
    expect(next.counters.failures).toBe(1)
    expect(decide(fresh, 'failed', usual, { retryable: false, reason: 'timeout' }).reason).toBe('timeout')
  })

  it('where errors block, the job is held with the error as its reason', () => {
    const next = decide(fresh, 'failed', target, { errorMessage: 'token limit exceeded' })
    expect(next).toMatchObject({
      place: 'held',
      state: 'errored',
      reason: 'token limit exceeded',
      ended: null,
    })
  })

  it('a lost lease brings the job back until the third in a row', () => {
    expect(decide({ ...fresh, losses: 1 }, 'lost', usual)).toMatchObject({
      state: 'queued',
      counters: { losses: 2 },
    })
    expect(decide({ ...fresh, losses: 2 }, 'lost', usual)).toMatchObject({
      ended: 'failed',
      reason: 'crashed',
    })
    const blocking = { ...usual, onError: 'block' as const }
    expect(decide({ ...fresh, losses: 2 }, 'lost', blocking)).toMatchObject({
      state: 'errored',
      reason: 'crashed',
    })
    expect(decide({ ...fresh, losses: 99 }, 'lost', { ...usual, crashBudget: null }).state).toBe('queued')
  })

  it('in preset target a lost lease is an error at once', () => {
    expect(decide(fresh, 'lost', target)).toMatchObject({ state: 'errored', reason: 'lease expired' })
    const reason = 'lease given up'
    expect(decide(fresh, 'lost', target, { reason })).toMatchObject({ state: 'errored', reason })
    expect(
      decide(fresh, 'lost', target, { started: false }),
      '6.07 but not of one that never began',
    ).toMatchObject({
      state: 'queued',
      counters: { failures: 0, losses: 0, interruptions: 0 },
    })
  })

  it('a requested cancel pauses in preset target and ends the job elsewhere', () => {
    const asked = { ...fresh, cancelRequested: true }
    const paused = {
      place: 'held',
      state: 'paused',
      reason: 'Job was interrupted by user',
      outcome: 'canceled',
    }
    for (const outcome of ['canceled', 'failed', 'lost', 'snoozed', 'released', 'parked'] as const) {
      expect(decide(asked, outcome, target)).toMatchObject(paused)
      expect(decide(asked, outcome, usual, { reason: 'shutdown' })).toMatchObject({
        ended: 'canceled',
        outcome: 'canceled',
      })
    }
    expect(decide(asked, 'released', usual, { reason: 'shutdown' }).reason).toBe('canceled')
    expect(decide({ ...asked, cancelReason: 'typo' }, 'failed', usual).reason).toBe('typo')
  })

  it('a handler that gives up by itself is canceled, also in preset target', () => {
    expect(decide(fresh, 'canceled', target, { reason: 'obsolete' })).toMatchObject({
      ended: 'canceled',
      reason: 'obsolete',
    })
    expect(decide(fresh, 'canceled', usual).reason).toBe('canceled')
  })

  it('interruptions are free', () => {
    const worn = { ...fresh, failures: 2, losses: 2, interruptions: 5 }
    const counters = { failures: 2, losses: 0, interruptions: 6 }
    expect(decide(worn, 'snoozed', usual, { delayMs: 5000 })).toMatchObject({
      state: 'scheduled',
      dueInMs: 5000,
      counters,
    })
    expect(decide(worn, 'released', usual, { reason: 'shutdown' })).toMatchObject({
      state: 'queued',
      reason: 'shutdown',
      counters,
    })
    expect(decide(worn, 'released', target)).toMatchObject({
      state: 'paused',
      reason: 'shutdown',
      counters,
    })
    expect(decide(worn, 'parked', usual)).toMatchObject({ place: 'held', state: 'parked', counters })
  })

  it('makes only legal moves, to the place of the state, and delays exactly what is delayed', () => {
    fc.assert(
      fc.property(someLive, someOutcome, somePolicy, someFacts, (live, outcome, policy, facts) => {
        const next = decide(live, outcome, policy, facts)
        expect(legal('running', next.state) && legal('assigned', next.state)).toBe(true)
        expect(next.place).toBe(placeOf(next.state))
        expect(next.ended).toBe(isEnded(next.state) ? next.state : null)
        expect(next.dueInMs !== null && next.dueInMs >= 0).toBe(next.place === 'delayed')
        if (live.cancelRequested && outcome !== 'succeeded') expect(next.outcome).toBe('canceled')
        expect(next.counters).toEqual({
          failures: live.failures + (next.outcome === 'failed' ? 1 : 0),
          losses: next.outcome === 'lost' ? live.losses + 1 : 0,
          interruptions:
            live.interruptions + (['snoozed', 'released', 'parked'].includes(next.outcome) ? 1 : 0),
        })
      }),
      { numRuns: 2000 },
    )
  })

  it('finds exactly one ending for every case', () => {
    fc.assert(
      fc.property(someLive, someOutcome, somePolicy, someFacts, (live, outcome, policy, facts) => {
        const matching = ENDINGS.filter(
          (row) => row.outcome === outcome && row.applies({ live, policy, facts }),
        )
        expect(matching).toHaveLength(1)
      }),
      { numRuns: 2000 },
    )
  })

  it('refuses an outcome it does not know', () => {
    expect(() => decide(fresh, 'vanished' as 'lost', usual)).toThrow('no ending')
  })
})

describe('the table of moves', () => {
  it('says each thing once and never two things under one condition', () => {
    const conditions = MOVES.map(({ verb, from, when }) => `${verb} ${from} ${when}`)
    expect(new Set(conditions).size).toBe(conditions.length)
  })

  it('a move without a condition is the only one of its verb and state', () => {
    for (const move of MOVES.filter(({ when }) => when === null)) {
      expect(MOVES.filter(({ verb, from }) => verb === move.verb && from === move.from)).toHaveLength(1)
    }
  })

  it('reaches every state, and leaves every state that is not an end', () => {
    for (const state of STATES) {
      expect(MOVES.some(({ to }) => to === state)).toBe(true)
      if (!isEnded(state)) expect(MOVES.some(({ from }) => from === state)).toBe(true)
    }
    expect(MOVES.filter(({ from }) => from === 'succeeded')).toEqual([])
  })

  it('knows which pairs are legal', () => {
    expect(legal(null, 'queued')).toBe(true)
    expect(legal('queued', 'succeeded')).toBe(false)
    expect(legal('queued', 'running')).toBe(false)
    expect(legal('succeeded', 'queued')).toBe(false)
    for (const { from, to } of legalMoves()) expect(legal(from, to)).toBe(true)
  })

  it('in a strict queue makes exactly the six changes of word that preset pipeline allows', () => {
    // Which live states a job can be in before, and after, its first claim.
    const neverAttempted: State[] = ['pending', 'waiting']
    const either: State[] = ['queued', 'scheduled']
    const changes = new Set<string>()
    for (const { verb, from, to, when, strict } of MOVES) {
      if (!strict || from === null) continue
      const histories = either.includes(from) ? [false, true] : [!neverAttempted.includes(from)]
      for (const attempted of histories) {
        if (when === 'after an attempt' && !attempted) continue
        const before = stateWord('pipeline', from, { attempted })
        const after = stateWord('pipeline', to, { attempted: attempted || verb === 'claim' })
        if (before !== after) changes.add(`${before} -> ${after}`)
      }
    }
    expect([...changes].sort()).toEqual(
      [
        'queued -> processing',
        'processing -> completed',
        'processing -> failed_retryable',
        'processing -> failed',
        'failed_retryable -> processing',
        'failed_retryable -> failed',
      ].sort(),
    )
  })

  it('is what the page in the docs shows', () => {
    const page = new URL('../../docs/state-machine.md', import.meta.url)
    expect(existsSync(page)).toBe(true)
    expect(readFileSync(page, 'utf8')).toBe(stateMachinePage())
    expect(stateDiagram()).toContain('queued --> assigned: claim')
  })
})
