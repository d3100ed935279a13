/** The file in which `up` records its process, so that `down` finds it and a second `up` of the same folder fails. */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config/resolve.js'
import { makePath } from '../../embedded/make-path.js'
import { replaceFile } from '../../embedded/plain-file.js'
import { keepOutOfGit } from '../../embedded/private-folder.js'
import { isAlive, markOf, type ProcessMark } from '../../embedded/process.js'
import { CommandError, EXIT } from '../failure.js'

const fileIn = (folder: string): string => join(folder, 'up.json')

/** Returns the running `up` of a folder. */
export function findRunning(folder: string): ProcessMark | undefined {
  try {
    const mark = JSON.parse(readFileSync(fileIn(folder), 'utf8')) as ProcessMark
    return isAlive(mark) ? mark : undefined
  } catch {
    return undefined
  }
}

/** Returns the folder for `writePidFile`; throws if an `up` runs there. */
export function checkNotRunning(config: Config): { folder: string; needed: boolean } {
  const folder = config.get('database.folder')
  const running = findRunning(folder)
  if (running !== undefined && process.env.HOLDFAST_WORKER_CHILD === undefined)
    throw new CommandError({
      code: 'already_up',
      message: `Process ${running.pid} already runs \`up\` here, with its data in ${folder}.`,
      remedy: 'Stop it with `holdfast down`, or add workers to it with `holdfast worker <module>`.',
      exitCode: EXIT.failed,
    })
  return { folder, needed: config.get('database.url') === undefined }
}

/** Returns a function that removes the file. */
export function writePidFile({ folder, needed }: { folder: string; needed: boolean }): () => void {
  if (process.env.HOLDFAST_WORKER_CHILD !== undefined) return () => {}
  try {
    makePath(folder)
    keepOutOfGit(folder)
    replaceFile(fileIn(folder), JSON.stringify(markOf(process.pid)), { mode: 0o644 })
  } catch (error) {
    // With an external database the folder is not needed, and a container may not be able to write it.
    if (needed) throw error
  }
  return () => {
    if (findRunning(folder)?.pid === process.pid) rmSync(fileIn(folder), { force: true })
  }
}
