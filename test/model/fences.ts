/** Which claim a worker speaks for: one it holds, one it held once, or one nobody ever had. */
import { type PickOf, pickFrom, picks } from './command.js'
import { isRunning, jobsOf, type Model } from './model.js'
import type { Fence } from './verbs.js'

export type FencePick = PickOf<'held' | 'once' | 'forged'>

export const fenceArbitrary = picks({ held: 12, once: 3, forged: 1 })

const NOBODYS: Fence = { jobId: 1_000_000_000, attempt: 1, lease: 1 }

/** Whether there is a claim of the kind that is meant. */
export function hasFence(model: Model, { which }: FencePick): boolean {
  return (
    which === 'forged' || (which === 'once' ? model.fences.length > 0 : jobsOf(model, isRunning).length > 0)
  )
}

export function pickFence(model: Model, { n, which }: FencePick): Fence {
  const held = jobsOf(model, isRunning).map(
    ({ id, attempt, lease }): Fence => ({ jobId: id, attempt, lease: lease as number }),
  )
  const fence = pickFrom(which === 'once' ? model.fences : held, n) ?? NOBODYS
  return which === 'forged' ? { ...fence, lease: fence.lease + 1_000_000 } : fence
}
