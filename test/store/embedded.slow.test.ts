import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { EmbeddedInUse, findEmbedded, lockFolder } from 'holdfast/embedded'
import { expect, inject, test } from 'vitest'
import {
  callInChild,
  dir,
  embeddedWorld,
  home,
  isRunning,
  query,
  start,
  startInChild,
  until,
} from './embedded/world.js'

embeddedWorld()

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

test('tables of an app land in public, whatever tables Holdfast has in its own schema', async () => {
  const { url } = await start()
  await query(url, 'create schema holdfast')
  await query(url, 'create table holdfast.queue (id int)')
  await query(url, 'create table if not exists queue (its_own text)')
  await query(url, "insert into queue (its_own) values ('kept')")
  expect(await query(url, 'select its_own from public.queue')).toEqual([{ its_own: 'kept' }])
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
  await until(() => !isRunning(child.answer.pid))
  expect((await start()).adopted).toBe(false)
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

test('a PGlite folder has one living holder; a dead one is replaced', async () => {
  const folder = join(home, 'pglite')
  const child = await callInChild('lockFolder', folder)
  expect(() => lockFolder(folder)).toThrow(EmbeddedInUse)
  expect(() => lockFolder(folder)).toThrow(String(child.process.pid))
  await child.end('SIGKILL')
  const release = lockFolder(folder)
  expect(() => lockFolder(folder)).toThrow(String(process.pid))
  release()
  lockFolder(folder)()
})
