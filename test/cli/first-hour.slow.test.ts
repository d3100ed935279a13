// What somebody meets in the first hour with the command line.

import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { printTable } from '../../src/cli/terminal/table.js'
import { openTerminal } from '../../src/cli/terminal/terminal.js'
import { SETTINGS, type Setting } from '../../src/domain/settings.js'
import { PRESETS } from '../../src/presets/presets.js'
import { listening } from '../conformance/worlds.js'
import { freshStore, postgresUrl, type World } from '../support/world.js'
import { holdfast } from './run-holdfast.js'

async function failedJob(store: World, message: string): Promise<number> {
  const { jobId } = await store.enqueue({ queue: 'mail', kind: 'welcome' })
  const [job] = await store.work.claim({ worker: 'ada', queues: ['mail'], leaseMs: 30_000 })
  if (job === undefined) throw new Error('nothing to fail')
  const error = new Error(message)
  const log = 'looking for the mailbox\nnot found\n'
  await store.work.finish([{ ...job, outcome: 'failed', retryable: false, error, log }])
  return jobId
}

const place = (store: World) => ['--url', postgresUrl(), '--schema', store.schema]

describe('what is shown', () => {
  const LONG = `the mailbox of ${'x'.repeat(200)} is full`

  it('6.18 jobs list shows the error, in a pipe all of it', async () => {
    const store = (await freshStore()) as World
    await failedJob(store, LONG)
    const { stdout } = await holdfast(['jobs', 'list', ...place(store)])
    expect(stdout).toContain(LONG)
    const [job] = JSON.parse((await holdfast(['jobs', 'list', '--json', ...place(store)])).stdout).jobs
    expect(job).toMatchObject({ state: 'failed', lastError: LONG })
  })

  it('6.18 jobs show shows the stack and the log of an attempt', async () => {
    const store = (await freshStore()) as World
    const id = await failedJob(store, 'no such mailbox')
    const { stdout } = await holdfast(['jobs', 'show', String(id), ...place(store)])
    expect(stdout).toContain('Error: no such mailbox')
    expect(stdout).toMatch(/ {2}at .*first-hour\.slow\.test\.ts/)
    expect(stdout).toContain('│ looking for the mailbox\n')
    expect(stdout).toContain('│ not found\n')
  })

  it.each([
    { columns: 120, isTTY: true, longest: 120 },
    { columns: 40, isTTY: true, longest: 40 },
    { columns: undefined, isTTY: true, longest: 80 },
    { columns: undefined, isTTY: false, longest: 8 + LONG.length },
  ])(
    '6.18 a table is as wide as the terminal ($columns, $isTTY) and keeps everything in a pipe',
    ({ columns, isTTY, longest }) => {
      const stream = Object.assign(new PassThrough(), { isTTY, columns })
      const terminal = openTerminal(
        stream as unknown as NodeJS.WriteStream,
        stream as unknown as NodeJS.WriteStream,
        {
          NO_COLOR: '1',
        },
      )
      printTable(
        terminal,
        [LONG],
        [
          { title: 'id', value: () => '123456' },
          { title: 'note', value: (text) => text, shrinks: true },
        ],
      )
      const lines = String(stream.read()).trimEnd().split('\n')
      expect(Math.max(...lines.map((line) => line.length))).toBe(longest)
    },
  )

  it('6.18 a setting that holds only for some presets says so, where it is listed and when it is set', async () => {
    const open = {
      MAX_ATTEMPTS_DEFAULT: 'maxRetries',
      BACKOFF_BASE_SEC: 'retryBaseMs',
      BACKOFF_MAX_SEC: 'retryCapMs',
      LEASE_SEC_DEFAULT: 'leaseMs',
    } as const
    for (const [name, field] of Object.entries(open)) {
      const presets = Object.entries(PRESETS).filter(([, policy]) => policy[field] === null)
      const { only = '' }: Setting = SETTINGS[name as keyof typeof open]
      for (const [preset] of Object.entries(PRESETS))
        expect(only.includes(preset), `${name} ${preset}`).toBe(presets.some(([each]) => each === preset))
    }
    const byPriority = Object.entries(PRESETS).filter(([, { order }]) => order === 'priority')
    for (const name of ['AGE_AFTER_SEC', 'AGE_STEP', 'AGE_CAP', 'AGE_EVERY_SEC'] as const)
      for (const [preset] of byPriority) expect(SETTINGS[name].only).toContain(preset)
    const store = (await freshStore()) as World
    const set = await holdfast(['settings', 'set', 'MAX_ATTEMPTS_DEFAULT', '3', ...place(store)])
    expect(set.stdout).toContain('only for queues of the preset harvest')
    expect((await holdfast(['settings', ...place(store)])).stdout).toContain(
      'only for queues of the preset crawl',
    )
  })
})

it('6.18 conformance cleans up: no live job, lease or worker is left, and a second run makes no new queue', async () => {
  const store = (await freshStore()) as World
  const { url, key } = await listening(store)
  const env = { HOLDFAST_SERVER: url, HOLDFAST_KEY: key }
  for (const _run of [1, 2]) {
    expect(await holdfast(['conformance', '--json'], { env })).toMatchObject({ code: 0, stderr: '' })
    const live = await store.database.query(
      'select id, kind, state from holdfast.jobs where finished_at is null',
    )
    expect(live).toEqual([])
    expect(await store.database.query('select id from holdfast.lease')).toEqual([])
    expect(await store.workers.list()).toEqual([])
    expect((await store.queues.list()).map(({ name }) => name)).toEqual(['conformance-1'])
  }
})
