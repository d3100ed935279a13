// Contenders in their fastest configurations, and what is said of them beside the ratio.
import { cost } from './cell.js'
import { drainSample } from './contenders.js'
import { fastest } from './measure.js'

/** The fastest configuration of each at `op`, which is the name of its list of them as well. */
export async function tune(env, contenders, op) {
  const { sizes, progress } = env
  const tuned = new Map()
  for (const who of contenders) {
    const jobs = Math.ceil(sizes.tuneJobs * (who.tuneShare ?? 1))
    const sample = (variant) => drainSample(env, who, variant, { jobs, batch: sizes.batch, op })
    try {
      tuned.set(who.name, await fastest(who[op], { name: who.name, sample, progress }))
    } catch (error) {
      tuned.set(who.name, { problem: `${who.name} could not run: ${error.message}` })
      progress.line(tuned.get(who.name).problem)
    }
  }
  return tuned
}

/** As many as everybody, or what the contender can do in the time there is. */
export function jobsFor({ drainJobs, sampleSeconds }, tried) {
  const rates = tried.flatMap(({ rates: found }) => found)
  const affordable = Math.ceil((Math.max(...rates) * sampleSeconds) / 1_000) * 1_000
  return rates.length === 0 ? drainJobs : Math.min(drainJobs, affordable)
}

export function configuration(peer, tuned) {
  const variant = peer && tuned.get(peer.name).variant
  return variant ? [`${peer.name}: ${variant.name}`] : []
}

export function peerFacts({ samples }, { name, title }, { tried }) {
  const theirs = samples[name] ?? []
  return {
    peer: title,
    tried,
    defaults: samples[`${name}, defaults`] ?? [],
    peerCosts: Object.fromEntries(
      ['walBytes', 'commits', 'cpuUs', 'buffers'].map((which) => [which, cost(theirs, which)]),
    ),
  }
}
