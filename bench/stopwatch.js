// How long a worker takes for so many jobs: from when it is ready and looks for work, or from its first job if that comes earlier,
// until the last is written as done. What a library does to get ready (connections, threads, checking a schema) is not part of it.
import pg from 'pg'
import { tell } from './answer.js'

const LOOK_MS = 5

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

  /**
   * For workers that do not say when an end is written: goes on until `left`, a question in SQL, is answered with none. Asked only
   * after the last job has run, by a connection that was there before.
   */
  async untilWritten(client, left) {
    await this.last
    while ((await client.query(`select exists (${left}) as is`)).rows[0].is)
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    this.#end = performance.now()
  }

  /** After the worker has stopped: a job that ran twice shows here. */
  result() {
    if (this.#done !== this.#jobs) throw new Error(`${this.#done} jobs ran instead of ${this.#jobs}`)
    const seconds = (this.#end - this.#begin) / 1000
    return { jobs: this.#jobs, seconds, rate: this.#jobs / seconds }
  }
}

/** A connection beside the worker's. */
export async function onlooker(url) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
}
