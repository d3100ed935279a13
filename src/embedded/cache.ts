// Copies the binaries to a cache outside the project, for when Postgres' account cannot enter the project's folder (mode 0700) or the library
// symlinks cannot be added there. A copy is made once for each content, and gets its name only when complete.
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { cp } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRoot } from './account.js'
import { EmbeddedUnavailable } from './errors.js'
import { makeOwnFolder } from './folders.js'
import { linkLibraries } from './links.js'

/** Returns the native folder of the copy. */
export async function copyBinaries(native: string, postgres: string): Promise<string> {
  const name = `postgres-${createHash('sha256').update(readFileSync(postgres)).digest('hex').slice(0, 16)}`
  for (const home of cacheHomes()) {
    if (!makeOwnFolder(home)) continue
    const copy = join(home, name)
    if (existsSync(copy)) return copy
    try {
      await copyWhole(native, copy)
      return copy
    } catch (error) {
      // A full or read-only disk: try the next folder.
      if (!(error as NodeJS.ErrnoException).code) throw error
    }
  }
  throw new EmbeddedUnavailable(
    `The Postgres binaries in ${native} cannot be used from there, and no folder could take a copy of them`,
    `Make one of these writable and private to this user: ${cacheHomes().join(', ')}.`,
  )
}

async function copyWhole(native: string, copy: string): Promise<void> {
  const draft = mkdtempSync(`${copy}.`)
  try {
    // Static libraries are for compiling against; they are a third of the bytes.
    await cp(native, draft, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (source) => !source.endsWith('.a'),
    })
    linkLibraries(draft)
    openForReading(draft)
    renameSync(draft, copy)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    // Another process finished the same copy first; equal names mean equal content.
    if (!existsSync(copy)) throw error
  }
}

/** An install under umask 077 leaves files that only its owner can read. */
function openForReading(dir: string): void {
  chmodSync(dir, 0o755)
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name)
    if (entry.isDirectory()) openForReading(path)
    else if (entry.isFile()) chmodSync(path, statSync(path).mode & 0o100 ? 0o755 : 0o644)
  }
}

/** Folders for what may be thrown away at any time; the first that can be made private is used. */
export function cacheHomes(): string[] {
  const shared = join(tmpdir(), `holdfast-cache-${process.getuid?.() ?? 'user'}`)
  if (isRoot()) return ['/var/cache/holdfast', shared]
  return [join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'holdfast'), shared]
}
