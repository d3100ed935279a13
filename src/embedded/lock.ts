// A lock that lets one living process own a folder.
//
// The lock is a file `lock.<generation>`; the highest generation counts. It is taken by link(2), which creates the name
// and its whole content in one step and fails if the name exists. Taking over from a dead holder never deletes the
// file under a competitor's feet: it creates the next generation, and of two that try, one gets EEXIST. For the same reason
// releasing does not delete: it leaves a tombstone, so the highest generation never goes down.
import { randomUUID } from 'node:crypto'
import { linkSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EmbeddedInUse } from './errors.js'
import { makePath } from './make-path.js'
import { isAlive, markOf, type ProcessMark } from './process.js'

interface LockHolder extends ProcessMark {
  released: boolean
}

export interface FolderLock {
  /** How the previous holder ended: cleanly, by dying, or there was none. */
  previous: 'none' | 'released' | 'died'
  release(): void
}

/**
 * Keeps other processes out of a folder, for databases that do not do so themselves: PGlite lets two processes open one
 * directory and loses rows. Refuses with EmbeddedInUse; a lock left by a dead process is taken over.
 */
export function lockFolder(dir: string): () => void {
  makePath(dir)
  // The folder is accessible to its owner only.
  return acquireLock(dir, 0o600).release
}

export function acquireLock(dir: string, mode = 0o644): FolderLock {
  for (;;) {
    const last = lastHolder(dir)
    if (last && !last.released && isAlive(last)) throw new EmbeddedInUse(dir, last.pid)
    const generation = (last?.generation ?? 0) + 1
    const file = join(dir, `lock.${generation}`)
    if (!createWhole(dir, file, mode)) continue
    // The listing may have been so old that the generation just taken had already existed and gone.
    if (generations(dir).at(-1) !== generation) {
      rmSync(file, { force: true })
      continue
    }
    for (const old of generations(dir))
      if (old < generation) rmSync(join(dir, `lock.${old}`), { force: true })
    const previous = last ? (last.released ? 'released' : 'died') : 'none'
    return { previous, release: () => leaveTombstone(dir, file, mode) }
  }
}

/** The process that last took the folder. */
export function holderOf(dir: string): { pid: number; released: boolean; alive: boolean } | undefined {
  const last = lastHolder(dir)
  return last && { pid: last.pid, released: last.released, alive: isAlive(last) }
}

function lastHolder(dir: string): (LockHolder & { generation: number }) | undefined {
  const generation = generations(dir).at(-1)
  if (generation === undefined) return undefined
  try {
    const holder = JSON.parse(readFileSync(join(dir, `lock.${generation}`), 'utf8')) as LockHolder
    return { ...holder, generation }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return lastHolder(dir)
    if ((error as NodeJS.ErrnoException).code) throw error
    // Content appears whole, so a torn file is what a power cut left: it has no holder.
    return { pid: 0, released: false, generation }
  }
}

function generations(dir: string): number[] {
  return readdirSync(dir)
    .flatMap((name) => /^lock\.(\d+)$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b)
}

function createWhole(dir: string, file: string, mode: number): boolean {
  const draft = writeDraft(dir, { ...markOf(process.pid), released: false }, mode)
  try {
    linkSync(draft, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

function leaveTombstone(dir: string, file: string, mode: number): void {
  try {
    renameSync(writeDraft(dir, { pid: process.pid, released: true }, mode), file)
  } catch (error) {
    // The folder was deleted meanwhile: there is nothing left to release.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

function writeDraft(dir: string, holder: LockHolder, mode: number): string {
  const draft = join(dir, `.lock-${randomUUID()}`)
  writeFileSync(draft, JSON.stringify(holder), { mode, flag: 'wx' })
  return draft
}
