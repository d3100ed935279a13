// A handler in a process of its own, and the worker that is killed while it runs.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { isAlive, markOf } from '../../../src/embedded/process.js'
import { freshStore } from '../../support/world.js'
import { QUEUE, until } from '../world.js'
import { startProcess } from './world.js'

const module = new URL('./handlers.js', import.meta.url).href

it.each([
  ['spins', 'spin'],
  ['blocks its thread', 'block'],
  ['waits', 'wait'],
])(
  '6.06 a handler in a process of its own that %s ends with its worker, also when that is killed',
  async (_how, does) => {
    const store = await freshStore()
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-outlived-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'pid')
    const isolated = { apart: { isolate: 'process', module } } as const
    const worker = await startProcess(store, { isolated, concurrency: 1 })
    await store.enqueue({ queue: QUEUE, kind: 'apart', input: { does, file } })
    await until(() => pidIn(file) > 0)
    const child = markOf(pidIn(file))
    onTestFinished(() => void (isAlive(child) && process.kill(child.pid, 'SIGKILL')))
    expect(child.pid).not.toBe(worker.pid)
    expect(isAlive(child)).toBe(true)
    worker.kill('SIGKILL')
    await worker.gone
    await until(() => !isAlive(child))
    expect(await leases(store), 'its lease still stands, so no other worker has begun the job').toBe(1)
  },
)

async function leases(store: Awaited<ReturnType<typeof freshStore>>): Promise<number> {
  const [row] = await store.database.query<{ n: number }>(
    'select count(*)::int as n from holdfast.lease where expires_at > holdfast.now()',
  )
  return row?.n ?? 0
}

function pidIn(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8'))
  } catch {
    return 0
  }
}
