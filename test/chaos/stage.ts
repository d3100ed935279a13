/** Sets a run up, lets it happen, heals everything, waits until all work is done, and looks at what is left. */
import { type ChildProcess, fork } from 'node:child_process'
import { chmodSync, closeSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { holdfast } from 'holdfast'
import { openStore } from 'holdfast/store'
import { auditSql } from './audit.js'
import { Crossing } from './crossing.js'
import { FeedReader } from './feed-reader.js'
import { Fleet } from './fleet.js'
import { heldUp } from './held-up.js'
import { HttpServer } from './http-server.js'
import { Journal } from './journal.js'
import { countsOf, lookBack, seenIn } from './look-back.js'
import { MUTANTS, mutatedSql } from './mutants.js'
import { Nemesis, type Scene } from './nemesis.js'
import { Operator } from './operator.js'
import { Random } from './random.js'
import { check, type Result, undone, verdict } from './report.js'
import { PrivateServer } from './server.js'
import { describeFault, type Plan, planOf } from './timeline.js'
import { Victim } from './victim.js'
import { Wire } from './wire.js'
import { QUEUES } from './workload.js'
import { Zombie } from './zombie.js'

export interface Asked {
  readonly seconds: number
  readonly seed: number
  readonly workers: number
  readonly mutant: string | null
  /** Leave the folder of the run where it is. */
  readonly keep: boolean
}

const PRODUCERS = 2
const LOOPS = 3
const PAUSE_MS = 60
const WORKING_WITHIN_MS = 60_000
/** A mutant may lose jobs for good; there is no point in waiting long for them. */
const DRAINED_WITHIN_MS = { real: 120_000, mutant: 20_000 }
const LOOK_MS = 100

type Progress = (text: string) => void
const pass = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

export async function chaos(asked: Asked, progress: Progress): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-chaos-'))
  // Root runs Postgres under another account, which must be able to pass.
  chmodSync(folder, 0o711)
  const plan = planOf(asked.seed, asked.seconds, asked.workers)
  let keep = asked.keep
  progress('starting Postgres')
  const server = await PrivateServer.start(folder)
  try {
    await prepare(server, asked.mutant)
    const result = await perform(server, plan, asked, folder, progress)
    keep ||= verdict(result) === 'broken' && asked.mutant === null
    return keep ? { ...result, folder } : result
  } finally {
    await server.stop()
    if (!keep) rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}

/** The schema, the queues, the history; then the mistake, if one was asked for. */
async function prepare(server: PrivateServer, mutant: string | null): Promise<void> {
  const app = await holdfast({ url: server.url, migrate: true, queues: QUEUES })
  await app.stop()
  await server.rows(auditSql())
  for (const sql of mutatedSql(MUTANTS[mutant ?? ''] ?? {})) await server.rows(sql)
}

async function perform(
  server: PrivateServer,
  plan: Plan,
  asked: Asked,
  folder: string,
  progress: Progress,
): Promise<Result> {
  const otherWires = await open(server, PRODUCERS + 3)
  const [httpWire, storeWire, crossingWire] = otherWires.slice(PRODUCERS) as [Wire, Wire, Wire]
  const { watchdog } = server
  const http = new HttpServer({ folder, watchdog, url: () => httpWire.through(server.url) })
  const wires = plan.workers.map(({ remote }) => new Wire(() => (remote ? http.port : server.port)))
  await Promise.all(wires.map((wire) => wire.open()))
  const fleet = new Fleet({
    folder,
    wires,
    url: () => server.url,
    serverUrl: () => http.url,
    watchdog,
    plans: plan.workers,
  })
  const journal = new Journal(join(folder, 'worker-zombie.jsonl'))
  const store = await openStore({ url: storeWire.through(server.url), notify: false })
  const zombie = new Zombie({ store, server, journal, random: new Random(plan.seed).fork(99) })
  const promised = new Journal(join(folder, 'producer-victim.jsonl'))
  const victim = new Victim({ store, worker: journal, producer: promised })
  const crossing = new Crossing({
    url: () => crossingWire.through(server.url),
    worker: journal,
    producer: promised,
  })
  const reader = new FeedReader(() => server.connect())
  const operator = new Operator(server, store)
  const load: ChildProcess[] = []
  try {
    progress('starting the workers')
    await http.start()
    fleet.start()
    await until(() => fleet.working === asked.workers, WORKING_WITHIN_MS, 'the workers did not start')
    reader.start()
    operator.start()
    for (let n = 0; n < PRODUCERS; n++) {
      load.push(await startLoad(server, otherWires[n] as Wire, n, plan, asked, folder))
    }
    const scene: Scene = {
      server,
      fleet,
      wires,
      otherWires,
      load,
      zombie,
      victim,
      crossing,
      journal,
      promised,
      store,
      http,
      reader,
    }
    const nemesis = new Nemesis(scene)
    const began = new Date()
    const showing = show(progress, plan, began)
    await nemesis.follow(plan.timeline, plan.seconds)
    clearInterval(showing)
    const { healedAt, leftToDrain, drainedInMs } = await heal(scene, nemesis, asked, progress)
    await Promise.all([fleet.stop(), operator.stop()])
    progress('looking at what is left')
    await reader.finish()
    const evidence = await lookBack(scene, folder)
    return {
      ...asked,
      began,
      leftToDrain,
      drainedInMs,
      deeds: nemesis.deeds,
      command: commandOf(asked),
      counts: countsOf(evidence, { ...scene, operator, nemesis }),
      seen: seenIn(evidence, scene, nemesis),
      undone: undone(plan.timeline, nemesis.deeds),
      heldUp: heldUp(evidence, healedAt),
      findings: check(evidence),
      folder: null,
    }
  } finally {
    await Promise.all([fleet.stop(), operator.stop()])
    http.stop()
    for (const child of load) child.kill('SIGKILL')
    await store.close().catch(() => {})
    journal.close()
    promised.close()
    await Promise.all([...wires, ...otherWires].map((wire) => wire.close()))
  }
}

async function open(server: PrivateServer, count: number): Promise<Wire[]> {
  const wires = Array.from({ length: count }, () => new Wire(() => server.port))
  await Promise.all(wires.map((wire) => wire.open()))
  return wires
}

async function startLoad(
  server: PrivateServer,
  wire: Wire,
  index: number,
  plan: Plan,
  { mutant }: Asked,
  folder: string,
): Promise<ChildProcess> {
  const setup = {
    url: wire.through(server.url),
    name: `p${index}`,
    journalPath: join(folder, `producer-${index}.jsonl`),
    seed: plan.seed + index + 1,
    loops: LOOPS,
    pauseMs: PAUSE_MS,
    ackEarly: MUTANTS[mutant ?? '']?.ackEarly ?? false,
  }
  const log = openSync(join(folder, `producer-${index}.log`), 'a')
  const file = fileURLToPath(new URL('./load-program.js', import.meta.url))
  const child = fork(file, [JSON.stringify(setup)], { execArgv: [], stdio: ['ignore', log, log, 'ipc'] })
  closeSync(log)
  server.watchdog.watch(child.pid as number)
  await new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve())
    child.once('exit', (code) => reject(new Error(`a producer ended at once, with code ${code}`)))
  })
  return child
}

/** Everything works again; then nothing new comes, and what is there must come to an end. */
async function heal(scene: Scene, nemesis: Nemesis, asked: Asked, progress: Progress) {
  const { server, fleet, load, wires, otherWires } = scene
  progress('healing')
  await nemesis.finish()
  for (const wire of [...wires, ...otherWires]) wire.heal()
  await Promise.all(load.map(stopLoad))
  await fleet.renew()
  const healedAt = new Date()
  let leftToDrain: number | undefined
  const began = performance.now()
  const within = DRAINED_WITHIN_MS[asked.mutant === null ? 'real' : 'mutant']
  for (;;) {
    const [row] = await server.rows<{ live: number }>(
      `select ((select count(*) from holdfast.ready) + (select count(*) from holdfast.delayed) + (select count(*) from holdfast.held)
        + (select count(*) from holdfast.running))::int as live`,
    )
    const live = row?.live ?? 0
    leftToDrain ??= live
    const tookMs = performance.now() - began
    if (live === 0 || tookMs > within) return { healedAt, leftToDrain, drainedInMs: tookMs }
    progress(`draining, ${live} left`)
    await scene.victim.tidy().catch(() => {})
    await pass(LOOK_MS)
  }
}

async function stopLoad(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.send({ stop: true })
  await gone
}

function show(progress: Progress, plan: Plan, began: Date): NodeJS.Timeout {
  return setInterval(() => {
    const ms = Date.now() - began.getTime()
    const last = plan.timeline.findLast(({ atMs }) => atMs <= ms)
    progress(
      `${Math.floor(ms / 1_000)} of ${plan.seconds} s  ${last === undefined ? '' : describeFault(last)}`,
    )
  }, LOOK_MS)
}

function commandOf({ seconds, seed, workers, mutant }: Asked): string {
  const more = mutant === null ? '' : ` --mutant ${mutant}`
  return `npm run chaos -- --seconds ${seconds} --random-seed ${seed} --workers ${workers}${more}`
}

async function until(is: () => boolean, withinMs: number, otherwise: string): Promise<void> {
  const end = performance.now() + withinMs
  while (!is()) {
    if (performance.now() > end) throw new Error(otherwise)
    await pass(LOOK_MS)
  }
}
