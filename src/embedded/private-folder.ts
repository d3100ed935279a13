/** Restricts a data folder to its owner, and keeps the folders of Holdfast out of Git. */
import { chmodSync, existsSync, lstatSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { notOurs } from './connection.js'

const OTHERS = 0o077

/**
 * Removes the rights of all other accounts on a folder: first on the folder itself, so that no other account can add files meanwhile, then
 * on everything in it. Links are left alone: their targets do not belong to the folder.
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
  // A missing file was a temporary file of the database.
  if (found !== undefined && (found.mode & OTHERS) !== 0) chmodSync(path, mode)
}

/** Only in a folder that Holdfast created: in a user's folder the file would hide the user's own files. */
export function keepOutOfGit(folder: string): void {
  if (basename(resolve(folder)) !== '.holdfast') return
  try {
    writeFileSync(join(folder, '.gitignore'), '*\n', { flag: 'wx' })
  } catch {
    // It exists already, or the folder is not writable, which the database reports better.
  }
}
