/** A small run without any faults, made by hand: every kind of thing the checks look at has happened in it once, and rightly. */
import { type Store, storeOn } from 'holdfast/store'
import pg from 'pg'
import { auditSql } from './audit.js'
import { type Evidence, gather, type Outside } from './evidence.js'
import type { Line } from './journal.js'
import { monotonic } from './processes.js'
import { KINDS, QUEUES } from './workload.js'

const EFFECT = 'insert into chaos.effect (job, attempt, lease, kind, by) values ($1, $2, $3, $4, $5)'

type Fence = { jobId: number; attempt: number; lease: number }

export class SmallWorld {
  readonly #store: Store
  readonly #client: pg.Client
  readonly producer: Line[] = []
  readonly worker: Line[] = []
  /** The id of each job by its token. */
  readonly jobs: Record<string, number> = {}
  #lease = 0

  private constructor(store: Store, client: pg.Client) {
    this.#store = store
    this.#client = client
  }

  /** In an empty database that has the schema. */
  static async live(url: string, store: Store): Promise<SmallWorld> {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query(auditSql())
    const world = new SmallWorld(storeOn(store.database), client)
    for (const [name, { preset = 'default', ...policy }] of Object.entries(QUEUES))
      await store.queues.create(name, { preset, policy })
    world.#lease = (await store.work.openLease('w', 60_000)).lease
    await world.#simple()
    await world.#inLine()
    await world.#failing()
    await world.#losing()
    await world.#family()
    return world
  }

  close(): Promise<void> {
    return this.#client.end()
  }

  /** What the checks see after this was done to the database; then it is undone. */
  async after(sql: string, outside: Partial<Outside> = {}): Promise<Evidence> {
    await this.#client.query('begin')
    try {
      await this.#client.query(sql)
      return await gather(async (text) => (await this.#client.query(text)).rows, {
        producers: [this.producer],
        workers: [this.worker],
        died: [],
        processes: [],
        followed: await this.#followed(),
        ...outside,
      })
    } finally {
      await this.#client.query('rollback')
    }
  }

  /** As somebody would have followed who missed nothing. */
  async #followed(): Promise<Outside['followed']> {
    const { rows } = await this.#client.query('select id from holdfast.event')
    return { seen: new Map(rows.map(({ id }) => [Number(id), 1])), pages: 1, restarts: 0, failed: 0 }
  }

  async #simple(): Promise<void> {
    await this.#commit(await this.#next('commit', 'one'))
    await this.#plain(await this.#next('plain', 'two'))
    await this.#client.query("insert into chaos.ledger values ('one')")
    const canceled = await this.#enqueue('plain', 'canceled')
    const { result } = await this.#store.commands.cancel(canceled)
    this.producer.push({ t: 'cancel', job: canceled, result })
    const reporting = await this.#next('report', 'report', { items: 2 })
    for (const n of [0, 1]) await this.#store.work.report({ ...reporting, items: [{ n }], cursor: n + 1 })
    await this.#finish(reporting)
    const few = [await this.#next('few', 'few 1'), await this.#next('few', 'few 2')]
    for (const one of few) await this.#plain(one)
  }

  async #inLine(): Promise<void> {
    await this.#enqueue('lane', 'lane 1', {}, { target: 't' })
    await this.#enqueue('lane', 'lane 2', {}, { target: 't' })
    for (let n = 0; n < 2; n++) await this.#commit(await this.#claim('lane'))
    for (const token of ['key 1', 'key 2'])
      await this.#plain(await this.#next('keyed', token, {}, { key: 'k' }))
  }

  async #failing(): Promise<void> {
    const { work } = this.#store
    await this.#enqueue('flaky', 'flaky')
    for (let n = 0; n < 2; n++) {
      const fence = await this.#claim('flaky')
      await work.finish([{ ...fence, outcome: 'failed', error: new Error('on purpose') }])
    }
    await this.#commit(await this.#claim('flaky'))
  }

  /** Lost once and done by another; two of a lease that their worker gives up; and a job that is lost until it counts as poison. */
  async #losing(): Promise<void> {
    await this.#next('plain', 'lost')
    await this.#sweep()
    await this.#plain(await this.#claim('plain'))
    await this.#next('plain', 'given up 1')
    await this.#next('plain', 'given up 2')
    await this.#giveUp()
    for (let n = 0; n < 2; n++) await this.#plain(await this.#claim('plain'))
    await this.#enqueue('poison', 'poison')
    for (let n = 0; n < 3; n++) {
      await this.#claim('poison')
      await this.#sweep()
    }
  }

  async #family(): Promise<void> {
    const fence = await this.#next('parent', 'parent')
    await this.#commit(fence, { parentId: fence.jobId })
    await this.#plain(await this.#claim('child'))
  }

  async #enqueue(kind: string, token: string, more: object = {}, options: object = {}): Promise<number> {
    this.producer.push({ t: 'intent', token, kind, ...options })
    const queue = KINDS[kind] as string
    const { jobId } = await this.#store.enqueue({ queue, kind, input: { token, ms: 0, ...more }, ...options })
    this.producer.push({ t: 'ack', token, job: jobId, existing: false })
    this.jobs[token] = jobId
    return jobId
  }

  async #next(kind: string, token: string, more: object = {}, options: object = {}): Promise<Fence> {
    await this.#enqueue(kind, token, more, options)
    return this.#claim(kind)
  }

  /** A retry comes back when its delay is over. */
  async #claim(kind: string): Promise<Fence> {
    const ask = { worker: 'w', lease: this.#lease, queues: [KINDS[kind] as string] }
    for (;;) {
      const [claimed] = await this.#store.work.claim(ask)
      if (claimed !== undefined) {
        const { jobId: job, attempt, lease, target } = claimed
        const line = { job, attempt, lease, by: 'w' }
        const queue = KINDS[kind] as string
        this.worker.push({ t: 'begin', ...line, at: monotonic(), queue, target, remote: false })
        this.worker.push({ t: 'end', ...line, at: monotonic() })
        return { jobId: claimed.jobId, attempt: claimed.attempt, lease: claimed.lease }
      }
    }
  }

  async #finish({ jobId, attempt, lease }: Fence): Promise<void> {
    const ending = { jobId, attempt, lease, outcome: 'succeeded', result: { attempt, lease } } as const
    const [ended] = await this.#store.work.finish([ending])
    const accepted = ended?.accepted ?? false
    this.worker.push({ t: 'ended', job: jobId, attempt, outcome: 'succeeded', accepted })
  }

  async #plain(fence: Fence): Promise<void> {
    const { jobId, attempt, lease } = fence
    await this.#client.query(EFFECT, [jobId, attempt, lease, 'plain', 'w'])
    await this.#finish(fence)
  }

  async #commit({ jobId, attempt, lease }: Fence, child?: { parentId: number }): Promise<void> {
    const ending = { jobId, attempt, lease, outcome: 'succeeded', result: { attempt, lease } } as const
    await this.#store.work.commit(ending, async (tx) => {
      await tx.query(EFFECT, [jobId, attempt, lease, 'commit', 'w'])
      if (child === undefined) return
      const job = { queue: 'plain', kind: 'child', input: { token: 'parent/child', ms: 0 }, ...child }
      const query = async (text: string, values: unknown[]) => ({ rows: await tx.query(text, values) })
      await this.#store.enqueue(job, { tx: { query } })
    })
  }

  /** Its worker cannot renew its lease, which has not run out. Shorter than the server has been up, or the losses would not count. */
  async #giveUp(): Promise<void> {
    await this.#client.query('update holdfast.lease set lease_ms = 1')
    await this.#store.work.closeLease(this.#lease, 'lease given up')
    this.#lease = (await this.#store.work.openLease('w', 60_000)).lease
  }

  /** Its lease has run out; the next claims are under another. */
  async #sweep(): Promise<void> {
    await this.#client.query(
      `update holdfast.lease set expires_at = clock_timestamp() - interval '1 second', lease_ms = 1`,
    )
    await this.#store.upkeep.reclaim()
    this.#lease = (await this.#store.work.openLease('w', 60_000)).lease
  }
}
