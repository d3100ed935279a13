/** Keeps a folder with data to its owner, and the folders of Holdfast out of Git. */
import { chmodSync, existsSync, lstatSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { notOurs } from './connection.js'

const OTHERS = 0o077

/**
 * Takes from everybody else what they may do in a folder: first the folder itself, so that nobody can plant anything meanwhile, then all
 * that is in it. Links are left alone: what they lead to is not ours to change.
 */
export function makePrivate(folder: string): void {
  if (process.platform === 'win32' || !existsSync(folder)) return
  try {
    closeToOthers(folder, 0o700)
  } catch (cause) {
    throw (cause as NodeJS.ErrnoException).code === 'EPERM' ? notOurs(folder, cause) : cause
  }
  closeContents(folder)
}

function closeContents(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      closeToOthers(path, 0o700)
      closeContents(path)
    } else if (entry.isFile()) closeToOthers(path, 0o600)
  }
}

function closeToOthers(path: string, mode: number): void {
  const found = lstatSync(path, { throwIfNoEntry: false })
  // What is gone by now was a temporary file of the database.
  if (found !== undefined && (found.mode & OTHERS) !== 0) chmodSync(path, mode)
}

/** Only where everything is ours: in a folder somebody chose, such a file would hide their own work. */
export function keepOutOfGit(folder: string): void {
  if (basename(resolve(folder)) !== '.holdfast') return
  try {
    writeFileSync(join(folder, '.gitignore'), '*\n', { flag: 'wx' })
  } catch {
    // It is there already, or nothing can be written here, which the database will say better.
  }
}
