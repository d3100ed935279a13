// Folders that must be safe to own and reachable for the account Postgres runs under.
import { chmodSync, lstatSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Account, isRoot } from './account.js'
import { run } from './child.js'
import { makePath } from './make-path.js'

/** Creates a folder, and where root creates it, opens what it created for passing through whatever the umask says. */
export function makeFolder(dir: string): void {
  const first = makePath(dir)
  if (!first || !isRoot()) return
  for (let made = resolve(dir); made.length >= first.length; made = dirname(made)) chmodSync(made, 0o755)
}

/** In shared places such as /tmp a known name may have been planted by somebody else. */
export function isOwnFolder(dir: string): boolean {
  const found = lstatSync(dir, { throwIfNoEntry: false })
  if (!found?.isDirectory()) return false
  return !process.getuid || (found.uid === process.getuid() && (found.mode & 0o022) === 0)
}

/** False when the folder cannot be made or is not ours alone. */
export function makeOwnFolder(dir: string): boolean {
  try {
    makePath(dir)
    if (!isOwnFolder(dir)) return false
    chmodSync(dir, 0o755)
    return true
  } catch {
    return false
  }
}

/** Asks the system instead of reading mode bits: ACLs, user namespaces and FUSE mounts have their own opinion. */
export async function isReachable(dir: string, account: Account | undefined): Promise<boolean> {
  if (!account) return true
  return (await run('/bin/sh', ['-c', 'cd -- "$1"', 'sh', dir], account)).ok
}
