/**
 * Writes files where somebody else may have planted something under their name: root started in a folder of another user. A link is never
 * followed, and what is no plain file of its own (a pipe, a second name of another file) is never written to.
 */
import { randomUUID } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { EmbeddedFailed } from './errors.js'

const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants

/** Opens what is, or becomes, a plain file of this very name. */
export function openPlain(file: string, flags: number, mode = 0o600): number {
  let handle: number
  try {
    // Without waiting: to open a pipe would wait for its other end.
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

/** A file that was not there before; its whole content appears under its name at once. */
export function replaceFile(
  file: string,
  text: string,
  { mode = 0o600, durable = false }: { mode?: number; durable?: boolean } = {},
): void {
  const draft = `${file}.${randomUUID()}`
  const handle = openSync(draft, 'wx', mode)
  try {
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
    `${file} is a link or no plain file, and is not written to`,
    'Look at where it leads, delete it and start again.',
    { cause },
  )
}
