// Reads postmaster.pid, what the data folder itself records of a server; not trusted, because a crash leaves it behind.
import { execFileSync } from 'node:child_process'
import { closeSync, constants, ftruncateSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openPlain } from './plain-file.js'
import { isAlive, markOf, type ProcessMark } from './process.js'

export interface Postmaster extends ProcessMark {
  port: number
  status: string
}

/** The server that runs on this folder now. */
export function livePostmaster(dataDir: string): Postmaster | undefined {
  const lines = readLines(dataDir)
  if (!lines) return undefined
  const mark = markOf(Number(lines[0]))
  if (!isAlive(mark) || !serves(mark.pid, dataDir)) return undefined
  return { ...mark, port: Number(lines[3]), status: (lines[7] ?? '').trim() }
}

/**
 * Postgres refuses to start while any process of the same user, even a zombie, has the pid a dead postmaster left behind.
 * Only that number is replaced, by one no system hands out: the shared memory key further down stays, and with it
 * Postgres' own proof that no orphaned backend still writes in the folder.
 */
export function forgetDeadPostmaster(dataDir: string): void {
  const lines = readLines(dataDir)
  if (!lines || livePostmaster(dataDir)) return
  // In place, so that its account keeps owning it; root must not follow a link that the account may have created.
  const handle = openPlain(join(dataDir, 'postmaster.pid'), constants.O_WRONLY)
  try {
    ftruncateSync(handle)
    writeFileSync(handle, ['99999999', ...lines.slice(1)].join('\n'))
  } finally {
    closeSync(handle)
  }
}

function readLines(dataDir: string): string[] | undefined {
  try {
    return readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** A postmaster's working directory is its data folder; compared by inode, so a moved or copied folder does not mislead. */
function serves(pid: number, dataDir: string): boolean {
  if (process.platform === 'win32') return true
  const data = statSync(dataDir)
  try {
    const cwd = statSync(`/proc/${pid}/cwd`)
    return cwd.dev === data.dev && cwd.ino === data.ino
  } catch {
    return commandOf(pid).includes(dataDir)
  }
}

function commandOf(pid: number): string {
  try {
    return execFileSync('/bin/ps', ['-ww', '-o', 'command=', '-p', String(pid)], {
      encoding: 'utf8',
      stdio: 'pipe',
    })
  } catch {
    return ''
  }
}
