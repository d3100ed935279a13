/**
 * Conversations of two tenants whose turns call a model, with a turn over its token limit, one that is interrupted, and a drain under load.
 * Turns of one conversation run one after the other, and a turn in PAUSED or ERROR holds up its conversation until it is resumed or cleared.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type App, holdfast } from 'holdfast'
import { buildServer } from 'holdfast/server'
import { type Job, stateWord } from 'holdfast/store'
import { type ExampleDatabase, openDatabase } from '../support/database.js'
import type { ExampleOptions, RunningExample } from '../support/example.js'
import { opening } from '../support/opened.js'
import { until } from '../support/until.js'
import { Workers } from '../support/workers.js'
import { startModel } from './model.js'
import { startOperator } from './operator.js'
import { DRAINED, INTERRUPTED, promptOf, type ScriptedTurn, scriptOf, tokenLimitOf } from './script.js'
import { timelineOf } from './timeline.js'
import { QUEUE, TENANTS, Transcript, turnJob } from './turns.js'

const REPLY_MS = 150
/** A blocked conversation is left alone for this long, so that you can look at it. */
const LOOK_MS = 1_500
const GRACE_MS = 2_000
const GRACE_MS_MIN = 500
/** The preset's lease is 10 s; a shorter one shows sooner what becomes of the turns of a killed worker. */
const LEASE_MS = 3_000
const LEASE_MS_MIN = 1_000

type EnqueuedTurn = ScriptedTurn & { readonly jobId: number }

export const start = (options: ExampleOptions): Promise<RunningExample> =>
  opening(async (opened) => {
    const { print, speed } = options
    const database = opened.add(await openDatabase('conversation-runner', options), (each) => each.stop())
    const gates = new Gates()
    const until = (prompt: string) => gates.open(prompt)
    const model = opened.add(await startModel({ replyMs: REPLY_MS / speed, until }), (each) => each.stop())
    const transcript = new Transcript(database.schema)
    const turn = turnJob({ modelUrl: model.url, transcript, session: () => app.store.database })
    const app = opened.add(await appOn(database, turn), (each) => each.stop())
    await transcript.create(app.store.database, options)
    await createQueues(app, speed)
    const turns = await enqueuedTurns(app, turn)
    const server = opened.add(buildServer(app.store, { loopback: true, log: false }), (each) => each.close())
    const url = await server.listen({ port: options.port, host: '127.0.0.1' })
    const tenants = Object.keys(TENANTS)
    const operator = opened.add(startOperator({ url, tenants, lookMs: LOOK_MS / speed, print }), (each) =>
      each.stop(),
    )
    const workers = opened.add(new Workers(options), (each) => each.stop())
    const graceMs = String(Math.max(GRACE_MS_MIN, Math.round(GRACE_MS / speed)))
    workers.start({
      name: 'worker',
      program: new URL('./worker.js', import.meta.url),
      env: { ...database.env, MODEL_URL: model.url, GRACE_MS: graceMs },
    })
    opened.add(gates, (each) => each.openAll())
    const stopping = opened.add(new AbortController(), (each) => each.abort())
    const stage: Stage = { app, turns, gates, stopping: stopping.signal, print }
    return {
      url,
      kills: workers.kills,
      async result() {
        await Promise.all([
          interrupt(stage, (tenant, jobId) => operator.interrupt(tenant, jobId)),
          drain(stage, () => {
            for (const pid of workers.pids) process.kill(pid, 'SIGTERM')
          }),
        ])
        await allEnded(stage)
        return finished(stage, transcript, options.out)
      },
      stop: () => opened.close(),
    }
  })

const appOn = ({ url, schema }: ExampleDatabase, turn: ReturnType<typeof turnJob>) =>
  holdfast({ url, schema, migrate: true, jobs: [turn], log: false })

async function createQueues(app: App, speed: number): Promise<void> {
  const leaseMs = Math.max(LEASE_MS_MIN, Math.round(LEASE_MS / speed))
  const policy = { leaseMs, heartbeatMs: Math.round(leaseMs / 3) }
  for (const tenant of Object.keys(TENANTS))
    await app.queues.create(QUEUE, { preset: 'target', policy, tenant, ifMissing: true })
}

/** Enqueues the script, or finds it in the database when an earlier run is continued. */
async function enqueuedTurns(app: App, turn: ReturnType<typeof turnJob>): Promise<EnqueuedTurn[]> {
  const all: EnqueuedTurn[] = []
  for (const tenant of Object.keys(TENANTS)) {
    const script = scriptOf(tenant)
    const handles = await app.enqueueMany(turn, script, {
      tenant,
      // Asked again, the same call answers with the same jobs.
      idempotencyKey: `script of ${tenant}`,
      each: (scripted) => ({ tokenLimit: tokenLimitOf(scripted) }),
    })
    handles.forEach(({ id }, n) => {
      all.push({ ...(script[n] as ScriptedTurn), jobId: id })
    })
  }
  return all
}

interface Stage {
  readonly app: App
  readonly turns: readonly EnqueuedTurn[]
  readonly gates: Gates
  readonly stopping: AbortSignal
  readonly print: ExampleOptions['print']
}

/** A user interrupts a turn: PAUSED. The model does not answer it until that has happened. */
async function interrupt(
  stage: Stage,
  ask: (tenant: string, jobId: number) => Promise<boolean>,
): Promise<void> {
  const { tenant, jobId, conversation } = turnAt(stage, INTERRUPTED)
  let isAsked = false
  await until(async () => {
    const job = await stage.app.store.read.job(jobId)
    if (isAsked && (wordOf(job) === 'PAUSED' || job.finishedAt !== null)) return true
    if (job.finishedAt !== null) return true
    // A worker that is killed takes the request with it: then it is asked again.
    if (wordOf(job) === 'RUNNING' && !job.cancelRequested) {
      stage.print('user', `interrupts turn ${INTERRUPTED.turn} of ${conversation}`)
      if (await ask(tenant, jobId)) isAsked = true
    }
    return false
  }, stage.stopping)
  stage.gates.openFor(INTERRUPTED)
}

/** The worker is drained while turns run: they end within the grace, or are PAUSED. One of them cannot end. */
async function drain(stage: Stage, terminate: () => void): Promise<void> {
  const { jobId } = turnAt(stage, DRAINED)
  const state = async () => stage.app.store.read.job(jobId)
  const isBegun = async () => ['RUNNING', 'CANCELED', 'SUCCESS'].includes(wordOf(await state()))
  await until(isBegun, stage.stopping)
  const before = await state()
  if (before.finishedAt === null) {
    stage.print('deploy', 'SIGTERM to the worker: it drains, and the next one takes over')
    terminate()
    await until(async () => {
      const job = await state()
      return wordOf(job) !== 'RUNNING' || job.attempt > before.attempt
    }, stage.stopping)
  }
  stage.gates.openFor(DRAINED)
}

async function finished({ app, turns, print }: Stage, transcript: Transcript, out: string) {
  const jobs = await jobsOf(app, turns)
  const attempts = await Promise.all(
    turns.map(async ({ conversation, turn, jobId }) =>
      (await app.store.read.attempts(jobId)).map((attempt) => ({ conversation, turn, attempt })),
    ),
  )
  writeFileSync(join(out, 'timeline.svg'), timelineOf(attempts.flat()))
  const conversations = [...new Set(turns.map(({ conversation }) => conversation))].sort()
  const result: Record<string, unknown> = {}
  for (const conversation of conversations) {
    const own = turns.filter((turn) => turn.conversation === conversation)
    const { tenant } = own[0] as EnqueuedTurn
    const rows = await transcript.of(app.store.database, { tenant, conversation })
    const states = own.map(({ jobId }) => wordOf(jobs.find(({ id }) => id === jobId) as Job))
    result[conversation] = {
      tenant,
      states,
      transcript: rows.map(({ prompt, reply }) => ({ prompt, reply })),
    }
    print(conversation, `${states.join(' ')}: ${rows.at(-1)?.reply ?? ''}`)
  }
  return result
}

function allEnded({ app, turns, stopping }: Stage): Promise<boolean> {
  return until(async () => {
    const counted = await Promise.all(
      Object.keys(TENANTS).map((tenant) => app.store.list.stateCounts({ tenant, queue: QUEUE })),
    )
    return (
      counted.reduce(
        (sum, { counts: { succeeded, failed, canceled } }) => sum + succeeded + failed + canceled,
        0,
      ) === turns.length
    )
  }, stopping)
}

const jobsOf = (app: App, turns: readonly EnqueuedTurn[]) =>
  Promise.all(turns.map(({ jobId }) => app.store.read.job(jobId)))

const wordOf = ({ state, attempt }: Job) => stateWord('target', state, { attempted: attempt > 0 })

function turnAt({ turns }: Stage, at: typeof INTERRUPTED | typeof DRAINED): EnqueuedTurn {
  return turns.find(
    ({ conversation, turn }) => conversation === at.conversation && turn === at.turn,
  ) as EnqueuedTurn
}

/** Prompts that the model answers only when something has happened to their turn. */
class Gates {
  readonly #waiting = new Map<string, { readonly opened: Promise<void>; readonly open: () => void }>()

  constructor() {
    for (const { conversation, turn } of [INTERRUPTED, DRAINED]) {
      let open = () => {}
      const opened = new Promise<void>((resolve) => {
        open = resolve
      })
      this.#waiting.set(promptOf(conversation, turn), { opened, open })
    }
  }

  async open(prompt: string): Promise<void> {
    await this.#waiting.get(prompt)?.opened
  }

  openFor({ conversation, turn }: { conversation: string; turn: number }): void {
    this.#waiting.get(promptOf(conversation, turn))?.open()
  }

  openAll(): void {
    for (const { open } of this.#waiting.values()) open()
  }
}
