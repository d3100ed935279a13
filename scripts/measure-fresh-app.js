// How long `freshApp()` of holdfast/testing takes once the first has been made. Build first, then: node scripts/measure-fresh-app.js
import { freshApp } from '../dist/testing.js'

const MOST_MS = 300
const ROUNDS = 20

async function timed() {
  const began = performance.now()
  const app = await freshApp()
  const took = performance.now() - began
  await app.enqueue({ kind: 'k', queue: 'q' }, {})
  await app.dispose()
  return { took, round: performance.now() - began }
}

const first = await timed()
const rounds = []
for (let n = 0; n < ROUNDS; n += 1) rounds.push(await timed())
const median = (values) => values.sort((one, other) => one - other)[Math.floor(values.length / 2)]
const result = {
  first_ms: Math.round(first.took),
  median_ms: Math.round(median(rounds.map(({ took }) => took))),
  median_with_dispose_ms: Math.round(median(rounds.map(({ round }) => round))),
}
console.log(JSON.stringify(result))
process.exitCode = result.median_with_dispose_ms < MOST_MS ? 0 : 1
