/**
 * Makes a folder with all that lead to it. Node's own mkdir with `recursive` never ends where a folder is there but nothing can be made in
 * it (below /proc, say), and a process that spins in it does not even hear a signal.
 */
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Answers the first folder that was made; undefined when all were there. */
export function makePath(dir: string): string | undefined {
  const path = resolve(dir)
  try {
    mkdirSync(path)
    return path
  } catch (error) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return undefined
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || existsSync(dirname(path))) throw error
  }
  const first = makePath(dirname(path))
  const last = makePath(path)
  return first ?? last
}
