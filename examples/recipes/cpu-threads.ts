// Runs jobs that keep a processor busy in threads of their own, so that this program stays responsive.
// Use it for hashing, images, parsing, compression: anything that computes for more than a few milliseconds.
// Run it: npm run example -- recipes/cpu-threads
import { availableParallelism } from 'node:os'
import { isMainThread, threadId } from 'node:worker_threads'
import { defineJob, holdfast } from 'holdfast'

type Input = { readonly below: number }
type Output = { readonly count: number; readonly thread: number }

/** The handler. It is the default export of the module that the definition names: here, of this file itself. */
export default function countPrimes(_ctx: unknown, { below }: Input): Output {
  if (below > 100_000_000) throw new RangeError('there is no memory for so many numbers')
  const isComposite = new Uint8Array(below)
  let count = 0
  for (let n = 2; n < below; n++) {
    if (isComposite[n]) continue
    count += 1
    for (let multiple = n * n; multiple < below; multiple += n) isComposite[multiple] = 1
  }
  return { count, thread: threadId }
}

async function main() {
  const primes = defineJob<'primes', Input, Output>({
    kind: 'primes',
    queue: 'cpu',
    isolate: 'thread',
    handler: new URL(import.meta.url),
    // A thread that is still busy then is ended; a function of this program could not be.
    timeoutMs: 60_000,
  })
  const app = await holdfast({ migrate: true, jobs: [primes] })
  await app.work({ concurrency: availableParallelism() })

  let ticks = 0
  const ticking = setInterval(() => ticks++, 10)
  const jobs = await app.enqueueMany(
    primes,
    [10, 1_000, 1_000_000, 20_000_000].map((below) => ({ below })),
  )
  for (const job of jobs) console.log(await job.result())
  clearInterval(ticking)
  console.log(`meanwhile this program did other things ${ticks} times`)
  await app.stop()
}

// The threads import this file too.
if (isMainThread) await main()
