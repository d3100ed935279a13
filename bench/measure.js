// Interleaved rounds: in each round every contender has its turn once, in an order that rotates, so that what the machine
// does meanwhile hits all of them alike. Every sample is kept.
import { median } from './holds.js'

/**
 * `contenders` are {name, sample(): Promise<{rate, ...}>}. Answers the samples by name, one place per round, and the reason
 * why a contender dropped out. The budget stops new rounds, never a round that has begun.
 */
export async function interleave(contenders, { rounds, budgetMs, progress, label, say = perSecond }) {
  const begin = Date.now()
  const samples = Object.fromEntries(contenders.map(({ name }) => [name, []]))
  const problems = {}
  for (let round = 0; round < rounds; round += 1) {
    if (round > 0 && Date.now() - begin > budgetMs) break
    for (const { name, sample } of rotated(contenders, round)) {
      if (problems[name]) continue
      try {
        const taken = await sample((done, total) =>
          progress.bar(`${label} · round ${round + 1}/${rounds} · ${name}`, done, total),
        )
        samples[name][round] = taken
        progress.line(`${label}: round ${round + 1}/${rounds}, ${name}: ${say(taken)}`)
      } catch (error) {
        problems[name] = `${name} could not run: ${error.message}`
        progress.line(`${label}: ${problems[name]}`)
      }
    }
  }
  return { samples, problems }
}

const perSecond = ({ rate }) => `${Math.round(rate)}/s`

export function rotated(list, by) {
  const from = list.length === 0 ? 0 : by % list.length
  return [...list.slice(from), ...list.slice(0, from)]
}

/**
 * The fastest of a contender's configurations: each twice, interleaved, the better of the two counts. Generous to whoever
 * is tuned, as one lucky sample is enough to be chosen.
 */
export async function fastest(variants, { name, sample, progress, repeats = 2, say = perSecond }) {
  if (variants.length === 1) return { variant: variants[0], tried: [] }
  const tried = variants.map((variant) => ({ variant, rates: [] }))
  let problem
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    for (const { variant, rates } of rotated(tried, repeat)) {
      try {
        rates.push((await sample(variant)).rate)
      } catch (error) {
        problem = error
      }
    }
  }
  const able = tried.filter(({ rates }) => rates.length > 0)
  if (able.length === 0) throw problem
  const best = able.reduce((a, b) => (Math.max(...b.rates) > Math.max(...a.rates) ? b : a))
  progress.line(
    `${name}: the fastest configuration is ${best.variant.name}, ${say({ rate: Math.max(...best.rates) })}`,
  )
  return { variant: best.variant, tried: tried.map(({ variant, rates }) => ({ name: variant.name, rates })) }
}

/** The contender with the highest median. */
export function bestOf(names, samples) {
  const able = names.filter((name) => samples[name].some(Boolean))
  const rate = (name) => median(samples[name].filter(Boolean).map((sample) => sample.rate))
  return able.reduce((best, name) => (best === undefined || rate(name) > rate(best) ? name : best), undefined)
}
