// How long a worker takes for so many jobs: from when it is ready and looks for work, or from its first job if that comes earlier,
// to its last. What a library does to get ready (connections, threads, checking a schema) is not part of it, for anybody.
import { tell } from './answer.js'

export class Stopwatch {
  #jobs
  #done = 0
  #begin
  #end
  #reached = () => {}
  /** Resolves with the last job. */
  last = new Promise((resolve) => {
    this.#reached = resolve
  })

  constructor(jobs) {
    this.#jobs = jobs
  }

  ready() {
    this.#begin ??= performance.now()
  }

  /** So many jobs more, or one. */
  count(more = 1) {
    this.#begin ??= performance.now()
    this.#done += more
    tell(this.#done)
    if (this.#done < this.#jobs || this.#end !== undefined) return
    this.#end = performance.now()
    this.#reached()
  }

  /** After the worker has stopped: a job that ran twice shows here. */
  result() {
    if (this.#done !== this.#jobs) throw new Error(`${this.#done} jobs ran instead of ${this.#jobs}`)
    const seconds = (this.#end - this.#begin) / 1000
    return { jobs: this.#jobs, seconds, rate: this.#jobs / seconds }
  }
}
