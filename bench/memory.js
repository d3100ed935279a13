// What jobs that wait inside a process weigh: the growth of its heap and of what lies beside it, after garbage collection, from a
// worker that has free slots to one whose every slot holds a handler that waits for a promise. The same is done once before, so that
// connections, buffers and compiled code, which do not grow with the jobs, are there already.
import { setTimeout as wait } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')

async function weigh() {
  // Twice, with a turn of the loop between: what finalizers free is gone after the second.
  for (let turn = 0; turn < 2; turn += 1) {
    await wait(200)
    collect()
  }
  const { heapUsed, external, rss } = process.memoryUsage()
  return { held: heapUsed + external, rss }
}

/** Handlers that wait until all of them are told to go on. */
export class Waiting {
  #resolvers = []
  #looks = () => {}

  handler = () =>
    new Promise((resolve) => {
      this.#resolvers.push(resolve)
      this.#looks()
    })

  /** Resolves when so many wait. */
  reached(jobs) {
    return new Promise((resolve) => {
      this.#looks = () => {
        if (this.#resolvers.length === jobs) resolve()
      }
      this.#looks()
    })
  }

  release() {
    for (const resolve of this.#resolvers.splice(0)) resolve()
  }
}

/** `fill` enqueues jobs until so many wait in handlers; `empty` lets them end and waits until they have. */
export async function weighWaiting(jobs, { fill, empty }) {
  await fill()
  await empty()
  const before = await weigh()
  await fill()
  const after = await weigh()
  await empty()
  const bytes = (after.held - before.held) / jobs
  return { jobs: 2 * jobs, bytes, rssBytes: (after.rss - before.rss) / jobs, rate: 1000 / bytes }
}
