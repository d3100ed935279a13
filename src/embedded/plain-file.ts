/**
 * Writes files safely in a folder where another user may have created links, as when root runs in a user's folder. It never follows a link,
 * and never writes to anything but a plain file with one name (no pipe, no hard link).
 */
import { randomUUID } from 'node:crypto'
import {
  closeSync,
  constants,
  fchownSync,
  fstatSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import type { Account } from './account.js'
import { EmbeddedFailed } from './errors.js'

const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants

/** Opens a plain file of exactly this name, or creates it. */
export function openPlain(file: string, flags: number, mode = 0o600): number {
  let handle: number
  try {
    // Non-blocking: opening a pipe would wait for its other end.
    handle = openSync(file, flags | O_NOFOLLOW | O_NONBLOCK, mode)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ELOOP' || code === 'EMLINK' || code === 'ENXIO') throw planted(file, error)
    throw error
  }
  const { nlink } = fstatSync(handle)
  if (fstatSync(handle).isFile() && nlink === 1) return handle
  closeSync(handle)
  throw planted(file)
}

/** Writes a new file; its whole content appears under its name at once. */
export function replaceFile(
  file: string,
  text: string,
  {
    mode = 0o600,
    durable = false,
    owner,
  }: { mode?: number; durable?: boolean; owner?: Account | undefined } = {},
): void {
  const draft = `${file}.${randomUUID()}`
  const handle = openSync(draft, 'wx', mode)
  try {
    if (owner) fchownSync(handle, owner.uid, owner.gid)
    writeFileSync(handle, text)
    if (durable) fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  try {
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

function planted(file: string, cause?: unknown): EmbeddedFailed {
  return new EmbeddedFailed(
    `${file} is a link or not a plain file, and is not written to`,
    'Look at where it leads, delete it and start again.',
    { cause },
  )
}
