// Real programs in real processes, on the built package.
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type App, defineJob, holdfast } from 'holdfast'
import type { Store } from 'holdfast/store'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { expectHealthy, freshStore, postgresUrl } from '../support/world.js'

const program = (name: string) => fileURLToPath(new URL(`./programs/${name}.js`, import.meta.url))
const PROGRAM = program('working')

const who = defineJob({ kind: 'who', queue: 'q', handler: (): number => 0 })
const hold = defineJob({ kind: 'hold', queue: 'q', handler: (): number => 0 })
const spin = defineJob({ kind: 'spin', queue: 'q', handler: (_ctx, _ms: number): number => 0 })

interface Said {
  readonly pid: number
  readonly before?: true
  readonly after?: true
  readonly holding?: number
  readonly stopped?: true
  readonly idle?: true
  readonly gone?: object
  readonly refused?: string
  readonly stats?: { slots: number }[]
}

interface Program {
  readonly process: ChildProcess
  readonly said: Said[]
  heard(what: keyof Said): Promise<Said>
  tell(order: 'stop' | 'stats' | 'idle'): void
  readonly gone: Promise<number | null>
}

let store: Store
let app: App
beforeEach(async () => {
  store = await freshStore()
  app = await holdfast({ store })
  onTestFinished(() => app.stop())
})

function run(processes?: number, file = PROGRAM): Program {
  const args = JSON.stringify({ url: postgresUrl(), schema: store.schema, processes })
  const child = spawn(process.execPath, [file, args], { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const said: Said[] = []
  createInterface({ input: child.stdout }).on('line', (line) => said.push(JSON.parse(line)))
  return {
    process: child,
    said,
    heard: (what) =>
      vi.waitFor(
        () => said.find((one) => one[what] !== undefined) ?? Promise.reject(new Error(`not ${what} yet`)),
        WAIT,
      ),
    tell: (order) => void child.stdin.write(`${order}\n`),
    gone: new Promise((resolve) => child.on('exit', (code) => resolve(code))),
  }
}

const WAIT = { timeout: 100_000, interval: 50 }
const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
const allGone = (pids: number[]) =>
  vi.waitFor(() => expect(pids.filter(isAlive), 'still there').toEqual([]), WAIT)

it('with processes: n the jobs run in n others, and what comes after work() happens once', async () => {
  const program = run(2)
  await program.heard('after')
  const handles = await app.enqueueMany(who, Array.from({ length: 30 }).fill(null))
  const pids = new Set(await Promise.all(handles.map((handle) => handle.result())))
  expect([...pids]).not.toContain(program.process.pid)
  const before = program.said.filter(({ before }) => before).map(({ pid }) => pid)
  expect(before).toHaveLength(3)
  expect([...pids].every((pid) => before.includes(pid))).toBe(true)
  expect(program.said.filter(({ after }) => after).map(({ pid }) => pid)).toEqual([program.process.pid])

  program.tell('stats')
  expect((await program.heard('stats')).stats?.map(({ slots }) => slots)).toEqual([1, 1])
  program.tell('idle')
  await program.heard('idle')
  program.tell('stop')
  expect(await program.gone).toBe(0)
  await allGone(before)
  await expectHealthy(store)
})

it('a process that is killed is replaced, and its job is run again', async () => {
  const program = run(2)
  await program.heard('after')
  const handle = await app.enqueue(hold, null)
  const { pid } = await program.heard('holding')
  process.kill(pid, 'SIGKILL')
  expect(await handle.result()).not.toBe(pid)
  expect(await handle.job()).toMatchObject({ attempt: 2, failures: 0 })
  await vi.waitFor(() => expect(program.said.filter(({ before }) => before)).toHaveLength(4), WAIT)
  program.tell('stop')
  expect(await program.gone).toBe(0)
  await expectHealthy(store)
})

it('a process that is sent home through the database ends, is not replaced, and the last one ends the work', async () => {
  const program = run(2)
  await program.heard('after')
  const alive = async () => (await store.workers.list()).filter(({ alive }) => alive)
  await vi.waitFor(async () => expect(await alive()).toHaveLength(2), WAIT)
  const [first, second] = (await alive()).map(({ worker, pid }) => ({ worker, pid }))
  expect([first?.worker, second?.worker]).toEqual(['w.1', 'w.2'])
  await store.workers.drain('w.1', { actor: 'ada', reason: 'too many' })
  await allGone([first?.pid as number])
  // It was the only one to go, nobody came for it, and the other works on.
  expect(await (await app.enqueue(who, null)).result()).toBe(second?.pid)
  expect((await alive()).map(({ worker }) => worker)).toEqual(['w.2'])
  program.tell('stats')
  expect((await program.heard('stats')).stats).toHaveLength(1)
  await store.workers.drain('w.2', { actor: 'ada' })
  await allGone([second?.pid as number])
  expect((await program.heard('gone')).gone).toEqual({ clean: true, released: 0, unwritten: 0 })
  expect(
    program.said.filter(({ before }) => before),
    'the parent and two others, and no more',
  ).toHaveLength(3)
  program.tell('stop')
  expect(await program.gone).toBe(0)
})

it('processes whose parent was killed end by themselves', async () => {
  const program = run(2)
  await program.heard('after')
  const pids = program.said.filter(({ before }) => before).map(({ pid }) => pid)
  program.process.kill('SIGKILL')
  await allGone(pids)
  expect(await store.workers.list()).toEqual([])
})

it('processes whose parent was killed while they came up end, too', async () => {
  const program = run(2)
  const starting = () => program.said.filter(({ before, pid }) => before && pid !== program.process.pid)
  await vi.waitFor(() => expect(starting()).not.toEqual([]), WAIT)
  program.process.kill('SIGKILL')
  await program.gone
  await allGone(starting().map(({ pid }) => pid))
})

it('a handler that keeps the processor busy for three leases keeps its job: heartbeats have a thread of their own', async () => {
  const program = run()
  await program.heard('after')
  const handle = await app.enqueue(spin, 6_000)
  expect(await handle.result(), 'the attempt that finished').toBe(1)
  expect(await handle.job()).toMatchObject({ attempt: 1, state: 'succeeded' })
  program.tell('stop')
  expect(await program.gone).toBe(0)
})

it.each(['thread', 'process'] as const)(
  'a handler isolated in a %s runs there, and a crash costs one attempt and nobody else',
  async (isolate) => {
    const job = defineJob<
      string,
      { crash?: boolean },
      { pid: number; isMainThread: boolean; attempt: number }
    >({
      kind: `in-${isolate}`,
      queue: 'q',
      isolate,
      handler: new URL('./programs/where.js', import.meta.url),
    })
    const program = run()
    await program.heard('after')
    await app.queues.setPolicy('q', { retryBaseMs: 0 })
    const quiet = await (await app.enqueue(job, {})).result()
    expect(quiet.isMainThread).toBe(isolate === 'process')
    expect(quiet.pid === program.process.pid).toBe(isolate === 'thread')
    const crashing = await app.enqueue(job, { crash: true })
    expect(await crashing.result()).toMatchObject({ attempt: 2 })
    expect(await store.read.attempts(crashing.id)).toMatchObject([
      { outcome: 'failed' },
      { outcome: 'succeeded' },
    ])
    expect(await (await app.enqueue(who, null)).result()).toBe(program.process.pid)
    program.tell('stop')
    expect(await program.gone).toBe(0)
  },
)

it('a program whose processes end before they work is told so, and is left without any', async () => {
  const broken = run(undefined, program('broken'))
  expect((await broken.heard('refused')).refused).toContain(
    'ended 3 times before it began to work, at last with 3',
  )
  expect(await broken.gone).toBe(0)
})
