// examples/conversation-runner, started as its reader starts it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findEmbedded } from 'holdfast/embedded'
import { expect, it } from 'vitest'
import { killsOf, startExample } from '../support/run-example.js'
import { expectHealthy, freshStore, postgresUrl } from '../support/world.js'
import { runReadme } from './readme-commands.js'

interface Conversation {
  readonly tenant: string
  readonly states: readonly string[]
  readonly transcript: readonly { readonly prompt: string; readonly reply: string }[]
}

const SPEED = ['--speed', '20']
const inSchema = ({ schema }: { schema: string }) => ({
  DATABASE_URL: postgresUrl(),
  HOLDFAST_SCHEMA: schema,
})

it('S3.11 conversations end with the same transcripts when their workers are killed: interrupted, over the token limit, drained, resumed', async () => {
  const store = await freshStore('postgres', { own: true })
  const second = await freshStore()
  const calm = startExample('conversation-runner', SPEED, inSchema(store))
  const wild = startExample('conversation-runner', [...SPEED, '--chaos', '7'], inSchema(second))
  const result = await calm.result<Record<string, Conversation>>()
  expect(Object.keys(result)).toEqual(['acme-1', 'acme-2', 'bolt-1', 'bolt-2', 'bolt-3', 'bolt-4'])
  const ok = ['SUCCESS', 'SUCCESS', 'SUCCESS', 'SUCCESS']
  expect(Object.values(result).map(({ states }) => states)).toEqual([
    ...[ok, ok, ok],
    ['SUCCESS', 'CANCELED', 'SUCCESS', 'SUCCESS'],
    ...[ok, ok],
  ])
  // A reply depends on all turns before it, so it also proves their order.
  for (const { transcript, states } of Object.values(result))
    expect(transcript).toHaveLength(states.filter((state) => state === 'SUCCESS').length)

  const printed = calm.lines.join('\n')
  expect(printed).toMatch(
    /bolt-2: job \d+ ERROR, The job has used \d+ tokens; its limit is 150\. \(turns behind it: 2\)/,
  )
  expect(printed).toMatch(/bolt-3: job \d+ PAUSED, Job was interrupted by user \(turns behind it: 2\)/)
  expect(printed).toMatch(/bolt-4: job \d+ PAUSED, Job was interrupted by user \(turns behind it: 1\)/)
  expect(printed).toMatch(/operator +POST \/targets\/bolt-3\/jobs\/\d+\/resume\/: QUEUED/)
  const rows = await store.workers.list()
  expect(rows.map(({ worker, tenant, slots }) => [worker, tenant, slots])).toEqual([
    ['worker.acme', 'acme', 1],
    ['worker.bolt', 'bolt', 3],
  ])
  const commands = await runReadme('conversation-runner', calm)
  expect(commands.length).toBeGreaterThan(1)
  for (const { command, expected, status } of commands) expect([command, status]).toEqual([command, expected])
  const svg = readFileSync(join(calm.out, 'timeline.svg'), 'utf8')
  expect(svg.match(/: SUCCESS<\/title>/g)).toHaveLength(23)
  expect(svg).toContain('bolt-3 turn 2: PAUSED')
  expect(await calm.interrupt()).toBe(0)
  await expectHealthy(store)

  expect(await wild.result()).toEqual(result)
  expect(killsOf(wild)).toBeGreaterThan(2)
  expect(await wild.interrupt()).toBe(0)
  await expectHealthy(second)
})

it('S3.08 after kill -9 of all processes, a restart resumes: no turn is missing and none is repeated', async () => {
  const store = await freshStore('postgres', { own: true })
  const first = startExample('conversation-runner', SPEED, inSchema(store))
  await first.shows(/turn 2 SUCCESS/)
  for (const pid of first.processes()) process.kill(pid, 'SIGKILL')
  await first.ended
  const second = startExample('conversation-runner', ['--keep', ...SPEED], inSchema(store))
  const result = await second.result<Record<string, Conversation>>()
  const prompts = Object.values(result).map(({ transcript }) => transcript.map(({ prompt }) => prompt))
  expect(prompts.flat()).toHaveLength(23)
  expect(prompts[0]).toEqual([1, 2, 3, 4].map((turn) => `acme-1 asks question ${turn}.`))
  expect(await second.interrupt()).toBe(0)
  await expectHealthy(store)
})

it('Ctrl-C in the middle of it leaves no process behind, with a database of its own', async () => {
  const example = startExample('conversation-runner', [])
  await example.shows(/turn 1 SUCCESS/)
  expect(example.processes().length).toBeGreaterThan(1)
  const dir = join(example.out, 'pg')
  expect(await findEmbedded({ dir })).toBeDefined()
  expect(await example.interrupt()).toBe(0)
  expect(await findEmbedded({ dir })).toBeUndefined()
})
