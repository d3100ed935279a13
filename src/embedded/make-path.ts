/**
 * Creates a folder and its parents. Node's own mkdir with `recursive` never returns where a folder exists but nothing can be created in it
 * (below /proc, say), and a process that spins in it does not even react to signals.
 */
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Returns the first folder that was created; undefined when all existed. */
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
