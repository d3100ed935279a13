import { expect, it } from 'vitest'
import { ATTEMPT_OUTCOMES, STATES } from '../../src/domain/states.js'
import { onEachDriver, pinnedStore } from '../support/world.js'
import { Coverage } from './coverage.js'
import { createQueues, findDisagreement } from './sequences.js'

onEachDriver('any sequence of commands', (driver) => {
  it('does what the state machine says', async () => {
    const world = await pinnedStore(driver)
    await createQueues(world)
    const coverage = new Coverage()
    const seed = Number(process.env.HOLDFAST_MODEL_SEED ?? 1)
    const t = performance.now()
    const d = await findDisagreement(world, coverage, {
      seed,
      sequences: Number(process.env.HOLDFAST_MODEL_RUNS ?? 60),
      commands: 100,
    })
    console.log(coverage.summary(), performance.now() - t)
    if (d !== null) console.log(d.slice(0, 6000))
    expect(d).toBeNull()
    expect(Object.keys(coverage.seen('outcome')).sort()).toEqual([...ATTEMPT_OUTCOMES].sort())
    expect(Object.keys(coverage.seen('state')).sort()).toEqual([...STATES].sort())
  }, 300000)
})
