// examples/nightly-reports, run as its README says: workers as processes, and each of its commands.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it, vi } from 'vitest'
import { ended, start } from '../support/cli/long-running.js'
import { expectHealthy, freshStore, postgresUrl } from '../support/world.js'
import { holdfast } from './run-holdfast.js'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const README = readFileSync(`${ROOT}examples/nightly-reports/README.md`, 'utf8')
const WAIT = { timeout: 100_000, interval: 50 }

/** Arguments of the commands of the README that begin with this. */
const commands = (word: string) =>
  [...README.matchAll(/npx holdfast (.+)$/gm)]
    .map(([, line = '']) =>
      [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? ''),
    )
    .filter(([first]) => first === word)

it('the example makes one job a slot, however many workers there are, and its commands do what they say', async () => {
  const store = await freshStore()
  const env = { DATABASE_URL: postgresUrl(), HOLDFAST_SCHEMA: store.schema }
  const [worker = []] = commands('worker')
  const workers = [start(worker, ROOT, env), start(worker, ROOT, env)]
  await vi.waitFor(async () => {
    const fired = (await store.schedules.history('heartbeat')).filter(({ outcome }) => outcome === 'created')
    expect(fired.length).toBeGreaterThan(1)
  }, WAIT)

  const said = new Map<string, string>()
  for (const [word = '', verb = '', ...rest] of commands('schedules')) {
    const { code, stdout, stderr } = await holdfast([word, verb, ...rest], { cwd: ROOT, env })
    expect({ code, stderr }, verb).toEqual({ code: 0, stderr: '' })
    said.set(verb, stdout)
  }
  expect([...said.keys()]).toEqual(['list', 'preview', 'pause', 'explain', 'run', 'history'])
  expect(said.get('list')).toMatch(/^nightly-sales +30 2 \* \* MON-SAT +Europe\/Berlin/m)
  expect(said.get('preview')?.trim().split('\n')).toHaveLength(10)
  expect(said.get('explain')).toMatch(/It was paused by .*: too loud\./)
  const [, made] = /nightly-sales enqueued job (\d+)\./.exec(said.get('run') ?? '') ?? []
  expect(said.get('history')).toMatch(new RegExp(`manual +${made}`))

  // The report of the night is there at once, done by one of them.
  await vi.waitFor(async () => expect((await store.read.job(Number(made))).state).toBe('succeeded'), WAIT)
  for (const { child, end } of workers) {
    child.kill('SIGTERM')
    expect((await end).code).toBe(0)
  }
  // A worker writes its line after the database has the end; all lines are there once it has left.
  const done = workers.flatMap(({ lines }) => lines.filter(ended))
  expect(done.filter(({ job_id }) => job_id === Number(made))).toHaveLength(1)
  const history = await store.schedules.history('heartbeat', { limit: 500 })
  const slots = history.filter(({ outcome }) => outcome === 'created').map(({ slot }) => slot.getTime())
  expect(slots.slice(1).map((slot, n) => (slots[n] as number) - slot)).toEqual(
    slots.slice(1).map(() => 2_000),
  )
  const { rows } = await store.list.jobs({ kind: 'report' })
  expect(rows).toHaveLength(slots.length + 1)
  await expectHealthy(store)
})
