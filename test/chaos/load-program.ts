/** A producer of the run. What it was promised it writes to its journal, outside of the database: that is what the run is held to. */
import { type DefinedJob as AnyJob, defineJob, holdfast } from 'holdfast'
import pg from 'pg'
import { Journal } from './journal.js'
import { Random } from './random.js'
import { anyJob, KINDS, type Wanted } from './workload.js'

const { url, name, journalPath, seed, loops, pauseMs, ackEarly } = JSON.parse(process.argv[2] as string) as {
  url: string
  name: string
  journalPath: string
  seed: number
  loops: number
  pauseMs: number
  /** The mistake "ack before commit", on purpose. */
  ackEarly: boolean
}
process.on('disconnect', () => process.exit(0))

const journal = new Journal(journalPath)
const jobs = new Map(
  Object.entries(KINDS).map(([kind, queue]) => [
    kind,
    defineJob({ kind, queue, handler: (): unknown => null }),
  ]),
)
const app = await holdfast({ url, jobs: [...jobs.values()], connections: 4 })

let made = 0
let stopping = false
const recent: number[] = []
const pass = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const codeOf = (error: unknown) => String((error as { code?: unknown }).code ?? error)

/** Where another job has the key there is none of this name, and that would not be the mistake that is meant. */
const isEarly = ({ key }: Wanted) => ackEarly && key === undefined

function intend(wanted: Wanted): void {
  const { kind, input, target } = wanted
  journal.write({ t: 'intent', token: input.token, kind, ...(target === undefined ? {} : { target }) })
  if (isEarly(wanted)) journal.write({ t: 'ack', token: input.token, job: 0, existing: false })
}

function promised(wanted: Wanted, jobId: number, existing: boolean): void {
  if (!isEarly(wanted)) journal.write({ t: 'ack', token: wanted.input.token, job: jobId, existing })
  recent.push(jobId)
  if (recent.length > 50) recent.shift()
}

/** Each makes its jobs one after the other, so that their order is known. */
async function one(wanted: Wanted): Promise<void> {
  const { kind, input, ...options } = wanted
  intend(wanted)
  try {
    const handle = await app.enqueue(jobs.get(kind) as AnyJob, input, options)
    promised(wanted, handle.id, handle.deduplicated)
  } catch (error) {
    journal.write({ t: 'failed', token: input.token, code: codeOf(error) })
  }
}

async function many(kind: string, all: Wanted[]): Promise<void> {
  for (const wanted of all) intend(wanted)
  try {
    const handles = await app.enqueueMany(
      jobs.get(kind) as AnyJob,
      all.map(({ input }) => input),
      {
        each: (_input, index) => {
          const { kind: _kind, input: _same, ...options } = all[index] as Wanted
          return options
        },
      },
    )
    handles.forEach((handle, index) => {
      promised(all[index] as Wanted, handle.id, handle.deduplicated)
    })
  } catch (error) {
    for (const { input } of all) journal.write({ t: 'failed', token: input.token, code: codeOf(error) })
  }
}

/** With work of its own in the same transaction: the job exists if and only if that does. */
async function withLedger(wanted: Wanted, regrets: boolean): Promise<void> {
  const { kind, input, ...options } = wanted
  intend(wanted)
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    query_timeout: 10_000,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('begin')
    await client.query('insert into chaos.ledger (token) values ($1)', [input.token])
    const handle = await app.enqueue(jobs.get(kind) as AnyJob, input, { ...options, tx: client })
    await client.query(regrets ? 'rollback' : 'commit')
    if (regrets) journal.write({ t: 'rolled back', token: input.token })
    else promised(wanted, handle.id, handle.deduplicated)
  } catch (error) {
    journal.write({ t: 'failed', token: input.token, code: codeOf(error) })
  } finally {
    client.end().catch(() => {})
  }
}

async function cancelOne(random: Random): Promise<void> {
  const job = random.pick(recent)
  try {
    const { result } = await app.jobs.cancel(job, { actor: name, reason: 'chaos' })
    journal.write({ t: 'cancel', job, result })
  } catch {
    // Nothing was promised.
  }
}

async function loop(index: number): Promise<void> {
  const random = new Random(seed).fork(index)
  const wanted = () => anyJob(random, `${name}.${index}.${made++}`)
  while (!stopping) {
    const die = random.next()
    if (die < 0.02 && recent.length > 0) await cancelOne(random)
    else if (die < 0.08) {
      const first = wanted()
      const same = Array.from({ length: random.whole(1, 15) }, () => ({
        ...first,
        input: { ...first.input, token: `${name}.${index}.${made++}` },
      }))
      await many(first.kind, [first, ...same])
    } else {
      const next = wanted()
      // Where another job has the key, there is none of this name.
      await (die < 0.16 && next.key === undefined ? withLedger(next, random.chance(0.2)) : one(next))
    }
    await pass(random.whole(0, 2 * pauseMs))
  }
}

const running = Promise.all(Array.from({ length: loops }, (_, index) => loop(index)))
process.on('message', (order: { stop?: boolean; make?: string; times?: number }) => {
  for (let n = 0; n < (order.times ?? 0); n++) {
    void one({ kind: order.make as string, input: { token: `${name}.asked.${made++}`, ms: 0 } })
  }
  if (order.stop !== true) return
  stopping = true
  void running.then(() => app.stop()).then(() => process.exit(0))
})
process.send?.({ working: true })
