// Creates a data folder, and resets the password of one whose password was lost.
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  lchownSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Account } from './account.js'
import type { Binaries } from './binaries.js'
import { run } from './child.js'
import { EmbeddedFailed } from './errors.js'

/** The name of the superuser, the database owner and the database. */
export const NAME = 'holdfast'

export const newPassword = (): string => randomBytes(24).toString('base64url')

export const hasCluster = (dataDir: string): boolean => existsSync(join(dataDir, 'PG_VERSION'))

interface NewCluster {
  binaries: Binaries
  account: Account | undefined
  dataDir: string
  password: string
  /** False skips waiting for the disk; for disposable data. */
  durable: boolean
  onSpawn?: (pid: number) => void
}

/** initdb works in a temporary folder beside the data folder, which is then renamed: an incomplete data folder never exists. */
export async function createCluster(cluster: NewCluster): Promise<void> {
  const { binaries, account, dataDir, password, durable, onSpawn } = cluster
  const home = dirname(dataDir)
  await removeOldNurseries(home)
  const nursery = mkdtempSync(join(home, 'init-'))
  try {
    const passwordFile = join(nursery, 'password')
    writeFileSync(passwordFile, password, { mode: 0o600, flag: 'wx' })
    if (account) for (const path of [passwordFile, nursery]) lchownSync(path, account.uid, account.gid)
    const data = join(nursery, 'data')
    const args = [
      '-D',
      data,
      '-U',
      NAME,
      '-A',
      'scram-sha-256',
      `--pwfile=${passwordFile}`,
      ...locale(binaries),
    ]
    const made = await run(binaries.initdb, durable ? args : [...args, ...throwAway(binaries)], account, {
      onSpawn,
    })
    if (!made.ok) {
      throw new EmbeddedFailed(
        `initdb could not create ${dataDir}: ${tail(made.output)}`,
        'Check free space and permissions of that folder, then start again; nothing was left behind.',
      )
    }
    renameSync(data, dataDir)
    if (durable) syncFolder(home)
  } finally {
    rmSync(nursery, { recursive: true, force: true })
  }
}

/**
 * What a throw-away cluster can do without. With checksums, the default since Postgres 18, even a read may write a page to the WAL
 * (its hint bits), and a test that expects no writes would fail now and then.
 */
function throwAway({ major }: Binaries): string[] {
  return major >= 18 ? ['--no-sync', '--no-data-checksums'] : ['--no-sync']
}

/** Left by a start that was killed; its initdb may still be writing, which ends when its files are gone. */
async function removeOldNurseries(home: string): Promise<void> {
  const old = readdirSync(home).filter((name) => name.startsWith('init-'))
  const patience = { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }
  await Promise.all(old.map((name) => rm(join(home, name), patience).catch(() => {})))
}

/** UTF-8 with the same order of strings on every platform; from 17 on also upper and lower case beyond ASCII. */
function locale({ major }: Binaries): string[] {
  const builtin = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  return ['--encoding=UTF8', '--locale=C', ...(major >= 17 ? builtin : [])]
}

export function checkVersion(dataDir: string, { major }: Binaries): void {
  const made = Number(readFileSync(join(dataDir, 'PG_VERSION'), 'utf8'))
  if (made === major) return
  throw new EmbeddedFailed(
    `${dataDir} was made by Postgres ${made}, but the binaries are version ${major}`,
    `Use binaries of version ${made}, or dump the data with them and load it into a new folder.`,
  )
}

/** An account that may write in the data folder may set the password; single-user mode needs no old password and opens no port. */
export async function resetPassword(
  binaries: Binaries,
  account: Account | undefined,
  dataDir: string,
  password: string,
): Promise<void> {
  const args = ['--single', '-D', dataDir, 'postgres']
  const reset = await run(binaries.postgres, args, account, {
    stdin: `alter role ${NAME} password '${password}'\n`,
  })
  if (reset.ok) return
  throw new EmbeddedFailed(
    `The password of ${dataDir} could not be reset: ${tail(reset.output.replaceAll(password, '***'))}`,
    'Restore the connection.json that belongs to this folder.',
  )
}

function syncFolder(dir: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(dir, 'r')
  fsyncSync(handle)
  closeSync(handle)
}

/** Enough of a log to see the cause, not so much as to hide it. */
export function tail(text: string, lines = 15): string {
  return text.trim().split('\n').slice(-lines).join('\n')
}
