import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { legal } from '../../src/domain/states/moves.js'
import { OPERATOR_MOVES, OPERATOR_VERBS, operatorMove } from '../../src/domain/states/operator.js'
import { isEnded, STATES } from '../../src/domain/states/states.js'

describe('operator commands', () => {
  const answers = (verb: (typeof OPERATOR_VERBS)[number], situation = {}) =>
    Object.fromEntries(
      STATES.map((state) => {
        const answer = operatorMove(verb, state, situation)
        return [
          state,
          answer.answer === 'moved'
            ? answer.move.to
            : answer.answer === 'refused'
              ? answer.code
              : answer.answer,
        ]
      }),
    )

  it.each([
    ['publish', {}, { pending: 'queued' }],
    ['publish', { targetBusy: true }, { pending: 'waiting' }],
    ['publish', { notDue: true, targetBusy: true }, { pending: 'scheduled' }],
    ['resume', {}, { paused: 'queued', errored: 'queued', parked: 'queued' }],
    ['resume', { targetBusy: true }, { paused: 'queued', errored: 'queued', parked: 'queued' }],
    ['skip', {}, { paused: 'canceled', errored: 'canceled', parked: 'canceled', waiting: 'canceled' }],
    [
      'skip',
      { strict: true },
      { paused: 'canceled', errored: 'canceled', parked: 'canceled', waiting: 'strict_queue' },
    ],
    ['discard', {}, { retrying: 'failed', paused: 'failed', errored: 'failed', parked: 'failed' }],
    [
      'discard',
      { attempted: true, strict: true },
      { retrying: 'failed', queued: 'failed', paused: 'failed', errored: 'failed', parked: 'failed' },
    ],
    ['retry', {}, { retrying: 'queued', scheduled: 'queued', failed: 'queued', canceled: 'queued' }],
    [
      'retry',
      { targetBusy: true },
      { retrying: 'queued', scheduled: 'waiting', failed: 'waiting', canceled: 'waiting' },
    ],
    [
      'retry',
      { strict: true },
      { retrying: 'queued', scheduled: 'queued', failed: 'new_job', canceled: 'new_job' },
    ],
  ] as const)('%s %j', (verb, situation, expected) => {
    const refused = Object.fromEntries(STATES.map((state) => [state, 'wrong_state']))
    expect(answers(verb, situation)).toEqual({ ...refused, ...expected })
  })

  it('cancel ends what waits, asks what runs, and says so when it is over', () => {
    const ended = { succeeded: 'already_ended', failed: 'already_ended', canceled: 'already_ended' }
    const waiting = ['pending', 'waiting', 'paused', 'errored', 'parked', 'scheduled', 'retrying', 'queued']
    const running = ['assigned', 'running']
    expect(answers('cancel')).toEqual({
      ...Object.fromEntries(waiting.map((state) => [state, 'canceled'])),
      ...Object.fromEntries(running.map((state) => [state, 'requested'])),
      ...ended,
    })
    expect(answers('cancel', { strict: true })).toEqual({
      ...Object.fromEntries(STATES.map((state) => [state, 'strict_queue'])),
    })
  })

  it('forgives failures when a person brings a failed job back, and only then', () => {
    const forgiving = OPERATOR_MOVES.filter((move) => move.forgives).map(
      ({ verb, from }) => `${verb} ${from}`,
    )
    expect([...new Set(forgiving)]).toEqual(['retry failed', 'retry canceled', 'resume errored'])
  })

  it('gives a reason for every end, and for nothing else', () => {
    for (const move of OPERATOR_MOVES) expect(move.reason !== null).toBe(isEnded(move.to))
  })

  it('at most one row applies in any situation', () => {
    const flag = fc.boolean()
    const situation = fc.record({ strict: flag, attempted: flag, notDue: flag, targetBusy: flag })
    fc.assert(
      fc.property(
        fc.constantFrom(...OPERATOR_VERBS),
        fc.constantFrom(...STATES),
        situation,
        (verb, state, s) => {
          const rows = OPERATOR_MOVES.filter(
            (row) => row.verb === verb && row.from === state && row.applies(s),
          )
          expect(rows.length).toBeLessThanOrEqual(1)
          const answer = operatorMove(verb, state, s)
          if (answer.answer === 'moved') expect(legal(state, answer.move.to)).toBe(true)
        },
      ),
    )
  })
})
