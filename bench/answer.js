// The contender's side of launch.js: read the plan, do its steps, answer.
import { text } from 'node:stream/consumers'

let told = 0

/** At most ten times a second: telling must not cost what is measured. */
export function tell(done) {
  const now = Date.now()
  if (now - told < 100) return
  told = now
  process.stdout.write(`${JSON.stringify({ progress: done })}\n`)
}

export async function answerPlan(steps) {
  const plan = JSON.parse(await text(process.stdin))
  const results = []
  for (const step of plan.steps) results.push((await steps[step.op](plan, step)) ?? {})
  process.stdout.write(`${JSON.stringify({ results })}\n`, () => process.exit(0))
}

/** Runs `work` and says how long it took, by the clock and of this process's CPU for each job. */
export async function timed(jobs, work) {
  const before = process.cpuUsage()
  const begin = performance.now()
  const more = await work()
  const seconds = (performance.now() - begin) / 1000
  const { user, system } = process.cpuUsage(before)
  return { jobs, seconds, rate: jobs / seconds, clientCpuUs: (user + system) / jobs, ...more }
}

/** Sends `jobs` in batches of `batch`, `parallel` batches under way at a time. */
export async function inBatches({ jobs, batch, parallel }, send) {
  let next = 0
  let sent = 0
  const lane = async () => {
    while (next < jobs) {
      const from = next
      next = Math.min(jobs, from + batch)
      await send(from, next)
      sent += next - from
      tell(sent)
    }
  }
  await Promise.all(Array.from({ length: parallel }, lane))
}

/** `callers` callers, each awaiting one call at a time, until `jobs` calls were made. */
export async function byCallers({ jobs, callers }, call) {
  await inBatches({ jobs, batch: 1, parallel: callers }, call)
}
