// Creates folders that are safe to own and that the account Postgres runs under can enter.
import { chmodSync, lstatSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Account, isRoot } from './account.js'
import { run } from './child.js'
import { makePath } from './make-path.js'

/** Creates a folder; where root creates it, other accounts may pass through whatever the umask is. */
export function makeFolder(dir: string): void {
  const first = makePath(dir)
  if (!first || !isRoot()) return
  for (let made = resolve(dir); made.length >= first.length; made = dirname(made)) chmodSync(made, 0o755)
}

/** In shared places such as /tmp another user may have created a known name first. */
export function isOwnFolder(dir: string): boolean {
  const found = lstatSync(dir, { throwIfNoEntry: false })
  if (!found?.isDirectory()) return false
  return !process.getuid || (found.uid === process.getuid() && (found.mode & 0o022) === 0)
}

/** False when the folder cannot be created or others can write to it. */
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

/** Tests access instead of reading mode bits: ACLs, user namespaces and FUSE mounts have rules of their own. */
export async function isReachable(dir: string, account: Account | undefined): Promise<boolean> {
  if (!account) return true
  return (await run('/bin/sh', ['-c', 'cd -- "$1"', 'sh', dir], account)).ok
}
