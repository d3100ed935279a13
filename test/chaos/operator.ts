/** The person who looks after the targets: in their preset a job that was stopped or lost waits until somebody lets it go on. */
import type { Store } from 'holdfast/store'
import type { PrivateServer } from './server.js'

const LOOK_MS = 400

export class Operator {
  readonly #server: PrivateServer
  readonly #store: Store
  #stopped = false
  #running: Promise<void> | undefined
  resumed = 0

  constructor(server: PrivateServer, store: Store) {
    this.#server = server
    this.#store = store
  }

  start(): void {
    this.#running = this.#run()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#running
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      await this.#letGo().catch(() => {})
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
  }

  async #letGo(): Promise<void> {
    const held = await this.#server.rows<{ job: string }>(
      `select h.job_id as job from holdfast.held h join holdfast.queue q on q.id = h.queue_id
       where q.name = 'sites' and h.state in ('paused', 'errored') order by 1 limit 20`,
    )
    for (const { job } of held) {
      await this.#store.commands.resume(Number(job), { actor: 'operator' })
      this.resumed += 1
    }
  }
}
