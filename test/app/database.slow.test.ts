import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineJob, holdfast } from 'holdfast'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { makeDatabase } from '../support/databases.js'

const echo = defineJob({ kind: 'echo', handler: async (_ctx, input: string) => input })

function folder(): string {
  const home = mkdtempSync(join(tmpdir(), 'holdfast-app-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return home
}

describe('which database an app works on', () => {
  it('your Postgres, whose schema is left alone unless you say otherwise', async () => {
    const url = await makeDatabase()
    await expect(holdfast({ url })).rejects.toMatchObject({ code: 'schema_missing' })
    const app = await holdfast({ url, jobs: [echo], migrate: true })
    await app.work()
    expect(await (await app.enqueue(echo, 'hello')).result()).toBe('hello')
    await app.stop()
  })

  it('that of DATABASE_URL when nothing else is said; and it may be stopped more than once', async () => {
    vi.stubEnv('DATABASE_URL', await makeDatabase())
    onTestFinished(() => void vi.unstubAllEnvs())
    const app = await holdfast({ migrate: true })
    expect(app.store.database.driver).toBe('postgres')
    await app.stop()
    const elsewhere = await holdfast({ embedded: 'memory' })
    expect(elsewhere.store.database.driver).toBe('pglite')
    await Promise.all([elsewhere.stop(), elsewhere.stop()])
    await elsewhere[Symbol.asyncDispose]()
  })

  it('a Postgres started in a folder: shared by a second app, and stopped with the first', async () => {
    const embedded = { home: folder() }
    const first = await holdfast({ embedded, jobs: [echo] })
    expect(first.store.database.driver).toBe('postgres')
    const second = await holdfast({ embedded, jobs: [echo] })
    const handle = await first.enqueue(echo, 'across')
    await second.work()
    expect(await handle.result()).toBe('across')
    await second.stop()
    expect(await handle.status(), 'the server goes on without the second').toBe('succeeded')
    await first.stop()
    expect(existsSync(join(embedded.home, 'pg', 'postmaster.pid'))).toBe(false)
  })

  it('a PGlite in a folder, which keeps its jobs', async () => {
    const embedded = { home: folder(), pglite: true }
    const before = await holdfast({ embedded, jobs: [echo] })
    const { id } = await before.enqueue(echo, 'kept')
    await before.stop()
    const after = await holdfast({ embedded, jobs: [echo] })
    await after.work()
    expect(await after.handle(id).result()).toBe('kept')
    await expect(after.work({ processes: 2 })).rejects.toMatchObject({ details: { path: '/processes' } })
    await after.stop()
  })
})
