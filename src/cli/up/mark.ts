/** Where `up` writes down that it runs, so that `down` finds it and a second `up` of the same folder is refused. */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config/resolve.js'
import { makePath } from '../../store/embedded/make-path.js'
import { replaceFile } from '../../store/embedded/plain-file.js'
import { keepOutOfGit } from '../../store/embedded/private-folder.js'
import { isAlive, markOf, type ProcessMark } from '../../store/embedded/process.js'
import { CommandError, EXIT } from '../failure.js'

const fileIn = (folder: string): string => join(folder, 'up.json')

/** The `up` that runs for a folder, if any. */
export function runningUp(folder: string): ProcessMark | undefined {
  try {
    const mark = JSON.parse(readFileSync(fileIn(folder), 'utf8')) as ProcessMark
    return isAlive(mark) ? mark : undefined
  } catch {
    return undefined
  }
}

/** Answers the folder to mark. */
export function refuseSecond(config: Config): { folder: string; needed: boolean } {
  const folder = config.get('database.folder')
  const running = runningUp(folder)
  if (running !== undefined && process.env.HOLDFAST_WORKER_CHILD === undefined)
    throw new CommandError({
      code: 'already_up',
      message: `Process ${running.pid} is up here already, with its data in ${folder}.`,
      remedy: 'Stop it with `holdfast down`, or add workers to it with `holdfast worker <module>`.',
      exitCode: EXIT.failed,
    })
  return { folder, needed: config.get('database.url') === undefined }
}

/** Answers how to take the mark away. */
export function writeMark({ folder, needed }: { folder: string; needed: boolean }): () => void {
  if (process.env.HOLDFAST_WORKER_CHILD !== undefined) return () => {}
  try {
    makePath(folder)
    keepOutOfGit(folder)
    replaceFile(fileIn(folder), JSON.stringify(markOf(process.pid)), { mode: 0o644 })
  } catch (error) {
    // With a database elsewhere nothing has to be written here, and a container may not allow it.
    if (needed) throw error
  }
  return () => {
    if (runningUp(folder)?.pid === process.pid) rmSync(fileIn(folder), { force: true })
  }
}
