// A server for one run of tests or a benchmark: it keeps nothing, shares nothing, and ends with its runner.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Account, accountForNewData } from './account.js'
import { prepareBinaries } from './binaries.js'
import { createCluster, newPassword } from './cluster.js'
import { urlOf } from './connection.js'
import { ensureDatabase } from './database.js'
import { EmbeddedUnavailable } from './errors.js'
import { isReachable } from './folders.js'
import { launch, stopServer } from './server.js'
import { EPHEMERAL } from './settings.js'
import type { EmbeddedPostgres } from './start.js'
import { startWatchdog } from './watchdog.js'

export async function startEphemeral(
  settings: Record<string, string>,
  binDir?: string,
): Promise<EmbeddedPostgres> {
  const account = accountForNewData()
  const folder = await temporaryFolder(account)
  const watchdog = startWatchdog(folder)
  const discard = () => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    watchdog.dismiss()
  }
  try {
    const binaries = await prepareBinaries(account, binDir)
    const dataDir = join(folder, 'data')
    const password = newPassword()
    const onSpawn = watchdog.watch
    await createCluster({ binaries, account, dataDir, password, durable: false, onSpawn })
    const logFile = join(folder, 'server.log')
    const all = { ...EPHEMERAL, ...settings }
    const server = await launch({ binaries, account, dataDir, logFile, settings: all, onSpawn })
    let stopped: Promise<void> | undefined
    const stop = () => {
      stopped ??= stopServer(server, 'immediate').then(discard)
      return stopped
    }
    try {
      await ensureDatabase(server.port, password)
    } catch (error) {
      await stop()
      throw error
    }
    const url = urlOf(password, server.port)
    return { url, dataDir, pid: server.pid, adopted: false, notes: binaries.notes, stop }
  } catch (error) {
    discard()
    throw error
  }
}

/** TMPDIR may be private to root; the system's own temporary folders are open to every account. */
async function temporaryFolder(account: Account | undefined): Promise<string> {
  for (const home of new Set([tmpdir(), '/tmp', '/var/tmp'])) {
    try {
      const folder = mkdtempSync(join(home, 'holdfast-'))
      // Others may pass through, not list: only its account can enter the data folder itself.
      if (account) chmodSync(folder, 0o711)
      if (await isReachable(folder, account)) return folder
      rmSync(folder, { recursive: true, force: true })
    } catch (error) {
      if (!(error as NodeJS.ErrnoException).code) throw error
    }
  }
  throw new EmbeddedUnavailable(
    `No temporary folder was found that the account Postgres runs under can enter (tried ${tmpdir()})`,
    'Point TMPDIR to a folder that other accounts can pass through.',
  )
}
