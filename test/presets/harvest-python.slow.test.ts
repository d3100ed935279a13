// The harvest preset: a worker in another language. The real worker.py of the example, as a process.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { type Served, servePinned } from '../support/http.js'
import { startSite } from '../support/lead-site.js'
import { expectHealthy, type World } from '../support/world.js'

const example = (file: string) =>
  fileURLToPath(new URL(`../../examples/lead-harvester/${file}`, import.meta.url))
const SECOND = 1_000

function python(file: string, args: readonly string[], env: Record<string, string> = {}): ChildProcess {
  if (spawnSync('python3', ['--version']).error !== undefined)
    throw new Error('python3 is missing; install it with: sudo apt-get install --yes python3')
  const child = spawn('python3', [example(file), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

async function site(): Promise<string> {
  const { url, stop } = await startSite()
  onTestFinished(stop)
  return url
}

/** Between the worker and the site: it keeps what was asked for, and the first request for one page is never answered. */
class Gate {
  readonly pages: number[] = []
  /** Resolves when the page that is held was asked for. */
  readonly reached: Promise<void>
  url = ''
  #reach = () => {}
  #isHeld = false

  private constructor(
    readonly site: string,
    readonly holds: number | undefined,
  ) {
    this.reached = new Promise((resolve) => {
      this.#reach = resolve
    })
  }

  static async before(address: string, holds?: number): Promise<Gate> {
    const gate = new Gate(address, holds)
    const server = createServer((asked, answer) => gate.#pass(asked, answer))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    gate.url = `http://127.0.0.1:${(server.address() as { port: number }).port}`
    return gate
  }

  #pass(asked: IncomingMessage, answer: ServerResponse): void {
    const page = Number(new URL(asked.url ?? '', this.site).searchParams.get('page'))
    this.pages.push(page)
    if (page === this.holds && !this.#isHeld) {
      this.#isHeld = true
      this.#reach()
      return
    }
    request(`${this.site}${asked.url}`, (from) => {
      answer.writeHead(from.statusCode ?? 500)
      from.pipe(answer)
    }).end()
  }
}

/** Three processes and a busy machine. */
vi.setConfig({ testTimeout: 180_000 })

let server: Served<World>
let store: World
let key: string
beforeEach(async () => {
  server = await servePinned()
  store = server.store
  await store.queues.create('leads', { preset: 'harvest' })
  key = (await store.keys.create({ name: 'python', scopes: ['work'] })).secret
})

const makeJob = async (input: object, more = {}) =>
  (await store.enqueue({ queue: 'leads', kind: 'harvest', input, ...more })).jobId

const startWorker = (...args: string[]) =>
  python('worker.py', ['--url', server.url, '--until-idle', ...args], { HOLDFAST_KEY: key })

async function runWorker(...args: string[]): Promise<void> {
  const [code] = await once(startWorker(...args), 'exit')
  expect(code).toBe(0)
}

it('S0.12 a Python worker reports every 50 items, is killed and restarted mid-job, and resumes from its cursor', async () => {
  const gate = await Gate.before(await site(), 8)
  const id = await makeJob({ site: gate.url, city: 'Riga' })
  const first = startWorker('--worker-id', 'first')
  await gate.reached
  first.kill('SIGKILL')
  await once(first, 'exit')
  expect(await store.read.job(id)).toMatchObject({
    state: 'assigned',
    leaseOwner: 'first',
    lastCursor: { page: 6 },
    progressCount: 50,
    resultCount: 45,
  })
  await runWorker('--worker-id', 'too-early')
  expect(gate.pages, 'its lease still hides the job').toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  await store.clock.advance(60 * SECOND)
  await runWorker('--worker-id', 'second')
  expect(gate.pages.slice(8)).toEqual([6, 7, 8, 9, 10, 11, 12])
  expect(await store.read.job(id)).toMatchObject({
    state: 'succeeded',
    reason: 'no_more_results',
    progressCount: 120,
    resultCount: 108,
  })
  const attempts = await store.read.attempts(id)
  expect(attempts.map(({ worker, outcome }) => [worker, outcome])).toEqual([
    ['first', 'lost'],
    ['second', 'succeeded'],
  ])
  const leads = await store.read.items({ jobId: id })
  expect(new Set(leads.map(({ data }) => (data as { phone: string }).phone)).size).toBe(108)
  await expectHealthy(store)
})

it('S0.12 the Python worker also reports by time, and stops when it has enough leads', async () => {
  const gate = await Gate.before(await site(), 4)
  const id = await makeJob({ site: gate.url, city: 'Liepaja' }, { itemGoal: 40 })
  const slow = startWorker('--report-sec', '0')
  await gate.reached
  expect(await store.read.job(id)).toMatchObject({ lastCursor: { page: 4 }, progressCount: 30 })
  slow.kill('SIGKILL')
  await once(slow, 'exit')
  await store.clock.advance(60 * SECOND)
  await runWorker()
  expect(await store.read.job(id)).toMatchObject({ state: 'succeeded', reason: 'target_reached' })
  expect(gate.pages.at(-1)).toBeLessThan(12)
})

it('S0.12 the Python worker reports a failure with error and log; a key without the scope work is refused', async () => {
  const id = await makeJob({ site: await site(), city: 'Atlantis' })
  await runWorker()
  expect(await store.read.job(id)).toMatchObject({
    state: 'retrying',
    lastError: 'HTTPError: HTTP Error 500: Internal Server Error',
  })
  expect((await store.read.attempts(id))[0]?.logExcerpt).toContain('Traceback')
  key = (await store.keys.create({ name: 'reader', scopes: ['read'] })).secret
  const [code] = await once(startWorker(), 'exit')
  expect(code).toBe(1)
})
