// Data is for its owner alone, root writes through no link that was planted, and nothing of it gets into Git.
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  constants,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { openPglite } from 'holdfast/store'
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import { writePidFile } from '../../../src/cli/up/pid-file.js'
import { writeConnection } from '../../../src/embedded/connection.js'
import { acquireLock } from '../../../src/embedded/lock.js'
import { openPlain } from '../../../src/embedded/plain-file.js'
import { forgetDeadPostmaster } from '../../../src/embedded/postmaster.js'
import { keepOutOfGit, makePrivate } from '../../../src/embedded/private-folder.js'
import { startEmbedded } from '../../../src/embedded/start.js'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'holdfast-private-'))
  chmodSync(home, 0o755)
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

/** Everything in a folder that others may read, write or enter. */
function openToOthers(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .concat(folder)
    .filter((path) => !lstatSync(path).isSymbolicLink() && (lstatSync(path).mode & 0o077) !== 0)
}

it('6.14 the folder of PGlite is closed to others, whatever was there before, and so is all that is in it', async () => {
  const before = process.umask(0)
  onTestFinished(() => void process.umask(before))
  const folder = join(home, '.holdfast')
  const dir = join(folder, 'pglite')
  // As an earlier version left it, with a link that leads elsewhere.
  mkdirSync(join(dir, 'base'), { recursive: true, mode: 0o777 })
  writeFileSync(join(dir, 'base', 'old'), 'data', { mode: 0o666 })
  const elsewhere = join(home, 'elsewhere')
  writeFileSync(elsewhere, 'mine', { mode: 0o644 })
  symlinkSync(elsewhere, join(dir, 'link'))
  makePrivate(dir)
  expect(openToOthers(dir)).toEqual([])
  expect(statSync(elsewhere).mode & 0o777).toBe(0o644)
  rmSync(dir, { recursive: true })

  const database = await openPglite({ dir })
  expect(statSync(dir).mode & 0o777).toBe(0o700)
  expect(openToOthers(dir)).toEqual([])
  await database.query('create table kept as select 42 as answer')
  await database.close()
  expect(openToOthers(dir)).toEqual([])
  expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('*\n')

  execFileSync('chmod', ['-R', 'a+rwX', dir])
  const again = await openPglite({ dir })
  expect(openToOthers(dir)).toEqual([])
  expect(await again.query('select answer from kept')).toEqual([{ answer: 42 }])
  await again.close()
})

/** A file of somebody's, and a folder in which its name was planted. */
function planted(name: string, how: 'link' | 'second name'): { dir: string; victim: string } {
  const dir = join(home, '.holdfast', 'pg')
  mkdirSync(dir, { recursive: true })
  const victim = join(home, 'victim')
  writeFileSync(victim, 'untouched')
  if (how === 'link') symlinkSync(victim, join(dir, name))
  else linkSync(victim, join(dir, name))
  return { dir, victim }
}

it('6.14 a link planted as server.log is not written to', async () => {
  const { dir, victim } = planted('server.log', 'link')
  await expect(startEmbedded({ dir })).rejects.toMatchObject({
    code: 'embedded_failed',
    message: expect.stringContaining('server.log is a link or not a plain file'),
  })
  expect(readFileSync(victim, 'utf8')).toBe('untouched')
  // Whoever takes it away can start.
  rmSync(join(dir, 'server.log'))
  const server = await startEmbedded({ dir })
  await server.stop()
  expect(lstatSync(join(dir, 'server.log')).isFile()).toBe(true)
  if (!server.dataDir.startsWith(home)) rmSync(dirname(server.dataDir), { recursive: true, force: true })
  // And Git sees nothing of all this.
  execFileSync('git', ['init', '-q'], { cwd: home })
  const seen = execFileSync('git', ['status', '--porcelain', '--untracked-files=all'], { cwd: home })
  expect(String(seen)).toBe('?? victim\n')
})

it('6.14 nor is a second name of another file, nor a pipe, which would hold up whoever opens it', () => {
  const { dir, victim } = planted('server.log', 'second name')
  const append = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT
  expect(() => openPlain(join(dir, 'server.log'), append)).toThrow(/is a link or not a plain file/)
  execFileSync('/bin/sh', ['-c', 'mkfifo "$0"', join(dir, 'pipe')])
  for (const flags of [append, constants.O_WRONLY])
    expect(() => openPlain(join(dir, 'pipe'), flags)).toThrow(/is a link or not a plain file/)
  expect(readFileSync(victim, 'utf8')).toBe('untouched')
})

it('6.14 no link planted for the file with the password, the mark of up or the pid is followed', () => {
  const { dir, victim } = planted('connection.json', 'link')
  for (const name of [`connection.json.${process.pid}`, 'up.json', 'postmaster.pid'])
    symlinkSync(victim, join(dir, name))
  writeConnection({ dir, dataDir: join(dir, 'data'), password: 'hunter2' })
  writePidFile({ folder: dir, needed: true })
  expect(() => forgetDeadPostmaster(dir)).toThrow(/is a link or not a plain file/)
  expect(readFileSync(victim, 'utf8')).toBe('untouched')
  expect(lstatSync(join(dir, 'connection.json')).mode & 0o777).toBe(0o600)
  expect(lstatSync(join(dir, 'up.json')).isFile()).toBe(true)
})

it('6.14 no link planted for a lock is followed', () => {
  const { dir, victim } = planted('lock.2', 'link')
  writeFileSync(join(dir, 'lock.1'), JSON.stringify({ pid: 0, released: true }))
  const lock = acquireLock(dir)
  lock.release()
  expect(readFileSync(victim, 'utf8')).toBe('untouched')
})

it('6.14 .holdfast has a .gitignore of its own; one that was written is left alone, and other folders have none', () => {
  const folder = join(home, '.holdfast')
  mkdirSync(folder)
  keepOutOfGit(folder)
  expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('*\n')
  writeFileSync(join(folder, '.gitignore'), 'mine\n')
  keepOutOfGit(folder)
  expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('mine\n')
  // In a folder somebody chose it would hide what else is there.
  keepOutOfGit(home)
  expect(existsSync(join(home, '.gitignore'))).toBe(false)
})

it('root in the folder of a user leaves that user the password', () => {
  const written = (owners: { dir: number; data: number }) => {
    const dir = mkdtempSync(join(home, 'pg-'))
    const dataDir = join(dir, 'data')
    mkdirSync(dataDir)
    chownSync(dataDir, owners.data, owners.data)
    chownSync(dir, owners.dir, owners.dir)
    writeConnection({ dir, dataDir, password: 'hunter2' })
    const { uid, gid, mode } = statSync(join(dir, 'connection.json'))
    return { uid, gid, mode: mode & 0o777 }
  }
  const { uid, gid } = userInfo()
  // Nobody but root may give files away.
  if (uid !== 0) {
    expect(written({ dir: uid, data: uid })).toEqual({ uid, gid, mode: 0o600 })
    return
  }
  expect(written({ dir: 1234, data: 1234 })).toEqual({ uid: 1234, gid: 1234, mode: 0o600 })
  // Data that root itself has made; a folder that somebody else only holds ready.
  expect(written({ dir: 0, data: 65534 })).toEqual({ uid: 0, gid: 0, mode: 0o600 })
  expect(written({ dir: 1234, data: 65534 })).toEqual({ uid: 0, gid: 0, mode: 0o600 })
})
