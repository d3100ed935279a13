// examples/work-kinds, started as its reader starts it.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { findEmbedded } from 'holdfast/embedded'
import { expect, it, onTestFinished } from 'vitest'
import { killsOf, startExample } from '../support/run-example.js'
import { expectHealthy, freshStore, postgresUrl } from '../support/world.js'
import { runReadme } from './readme-commands.js'

interface Result {
  readonly isFifo: boolean
  readonly jobs: readonly { readonly kind: string; readonly state: string; readonly digest: string | null }[]
}

const SPEED = ['--speed', '6']
const inSchema = ({ schema }: { schema: string }) => ({
  DATABASE_URL: postgresUrl(),
  HOLDFAST_SCHEMA: schema,
  // The environment goes before holdfast.toml.
  HOLDFAST_WORKERS_LEASE_TIMEOUT_SECONDS: '1',
})

const tally = ({ jobs }: Result) => {
  const counts: Record<string, number> = {}
  for (const { state } of jobs) counts[state] = (counts[state] ?? 0) + 1
  return counts
}

it('S4.06 sixty jobs of seven kinds end the same in a calm run, with workers from 2 to 8 and back, and when the app is killed again and again', async () => {
  const store = await freshStore('postgres', { own: true })
  const second = await freshStore()
  const calm = startExample('work-kinds', ['calm', ...SPEED], inSchema(store))
  const wild = startExample('work-kinds', [...SPEED, '--chaos', '4'], inSchema(second))
  const result = await calm.result<Result>()
  expect(tally(result)).toEqual({ succeeded: 49, failed: 8, canceled: 3 })
  expect(result.isFifo).toBe(true)
  const { events } = await store.read.feed('all')
  const sizes = events
    .filter(({ type }) => type === 'workers_scaled')
    .map(({ data }) => data as { from: number; to: number })
  expect(sizes[0]?.from).toBe(2)
  expect(Math.max(...sizes.map(({ to }) => to))).toBe(8)
  expect(sizes.at(-1)?.to).toBe(2)
  await calm.shows(/workers +[ ▁▂▃▄▅▆▇█]*█[ ▁▂▃▄▅▆▇█]*$/)
  const commands = await runReadme('work-kinds', calm)
  expect(commands.length).toBeGreaterThan(1)
  for (const { command, expected, status } of commands) expect([command, status]).toEqual([command, expected])
  const chart = await (await fetch(`${await calm.url()}/workers.svg`)).text()
  expect(chart).toContain('workers of the app over time')
  expect(chart).not.toContain('kill -9')
  expect(await calm.interrupt()).toBe(0)
  await expectHealthy(store)

  expect(await wild.result()).toEqual(result)
  expect(killsOf(wild)).toBeGreaterThan(2)
  expect(readFileSync(join(wild.out, 'workers.svg'), 'utf8')).toContain('kill -9')
  expect(await wild.interrupt()).toBe(0)
  await expectHealthy(second)
})

it('S4.08 after kill -9 of all processes, a restart resumes, and no job is lost or done twice', async () => {
  const store = await freshStore('postgres', { own: true })
  const first = startExample('work-kinds', ['calm', ...SPEED], inSchema(store))
  await first.shows(/20 attempts ended/)
  for (const pid of first.processes()) process.kill(pid, 'SIGKILL')
  await first.ended
  const second = startExample('work-kinds', ['calm', '--keep', ...SPEED], inSchema(store))
  const result = await second.result<Result>()
  expect(tally(result)).toEqual({ succeeded: 49, failed: 8, canceled: 3 })
  const { rows } = await store.list.jobs({ queue: 'work', limit: 100 })
  expect(rows).toHaveLength(60)
  expect(await second.interrupt()).toBe(0)
  await expectHealthy(store)
})

it('Ctrl-C in the middle of it leaves no process behind, with a database of its own', async () => {
  const example = startExample('work-kinds', [])
  await example.shows(/attempts ended/)
  expect(example.processes().length).toBeGreaterThan(1)
  const dir = join(example.out, 'pg')
  expect(await findEmbedded({ dir })).toBeDefined()
  expect(await example.interrupt()).toBe(0)
  expect(await findEmbedded({ dir })).toBeUndefined()
})

it('a port that is in use is refused with the remedy, and nothing that was started for it stays', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  onTestFinished(() => void taken.close())
  const { port } = taken.address() as AddressInfo
  const example = startExample('work-kinds', ['--port', String(port)])
  expect(await example.ended).not.toBe(0)
  expect(example.lines.join('\n')).toContain(`port ${port} is in use; choose another one with --port`)
  expect(await findEmbedded({ dir: join(example.out, 'pg') })).toBeUndefined()
  expect(example.processes()).toEqual([])
})
