// The embedded Postgres: a real server from npm, started by us, for people who have none at hand.
//
// A folder (`./.holdfast/pg`) belongs to one process at a time, its owner. Beside the data the folder has
//   lock.<n>         who the owner is (lock.ts)
//   connection.json  url and password, mode 0600, for a second terminal (find.ts)
//   server.log       what Postgres says
// and `.holdfast` a .gitignore that keeps all of it out of Git.
// The owner starts the server, and stops it when it leaves. An owner that is killed cannot: its server runs on, with every
// committed row, and the next start adopts it instead of fighting it. What may never happen:
//   - two servers on one data folder, or one server with two owners: owner and postmaster are recognised by pid and
//     moment of birth, never by pid alone, and a living owner is never pushed aside (EmbeddedInUse);
//   - an empty database in place of existing data: data is looked for in every place it may lie, and a half-made data
//     folder never gets its name (place.ts, cluster.ts);
//   - a program, setting or variable of the machine's own Postgres taking part: absolute paths, clean environment;
//   - the password in argv, in a log or in an error;
//   - root writing through a link that somebody planted under the name of one of these files (plain-file.ts).
// A server with `ephemeral: true` has no owner file at all: it lives in a temporary folder and dies with its runner,
// even one that is killed (watchdog.ts).
import { accessSync, constants, realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { prepareBinaries } from './binaries.js'
import { checkVersion, createCluster, hasCluster, newPassword, resetPassword } from './cluster.js'
import { type Connection, readConnection, urlOf, writeConnection } from './connection.js'
import { ensureDatabase } from './database.js'
import { startEphemeral } from './ephemeral.js'
import { EmbeddedFailed } from './errors.js'
import { atExit } from './exit.js'
import { makeFolder } from './folders.js'
import { acquireLock, type FolderLock } from './lock.js'
import { type Place, placeOf } from './place.js'
import { forgetDeadPostmaster, livePostmaster, type Postmaster } from './postmaster.js'
import { keepOutOfGit } from './private-folder.js'
import { signal } from './process.js'
import { launch, stopServer, waitUntilReady } from './server.js'
import { DURABLE } from './settings.js'

export interface EmbeddedOptions {
  dir?: string
  /** Postgres settings for this start, over ours. */
  settings?: Record<string, string>
  /** A folder with bin, lib and share of another Postgres version. */
  binDir?: string
  /** A throw-away server: temporary folder, no fsync, ends with this process however that ends. `dir` is not used. */
  ephemeral?: boolean
  /** Stop the server when this process exits normally. Signals are the caller's business. */
  stopOnExit?: boolean
}

export interface EmbeddedPostgres {
  url: string
  dataDir: string
  pid: number
  /** The server was already running, left behind by an owner that died. */
  adopted: boolean
  /** Things worth telling the user, such as data kept in another place. */
  notes: string[]
  stop(): Promise<void>
}

interface Running {
  server: Postmaster
  adopted: boolean
  notes: string[]
}

export async function startEmbedded(options: EmbeddedOptions = {}): Promise<EmbeddedPostgres> {
  if (options.ephemeral) return startEphemeral(options.settings ?? {}, options.binDir)
  const dir = openFolder(options.dir ?? './.holdfast/pg')
  const lock = acquireLock(dir)
  try {
    const recorded = readConnection(dir)
    const place = await placeOf(dir, recorded)
    const connection: Connection = {
      dir,
      dataDir: place.dataDir,
      password: recorded?.password ?? newPassword(),
      ...(recorded?.port ? { port: recorded.port } : {}),
    }
    const running =
      (await adopt(place, recorded !== undefined && lock.previous !== 'released')) ??
      (await startFresh(place, connection, recorded !== undefined, options))
    return await own(running, connection, lock, options.stopOnExit ?? true)
  } catch (error) {
    lock.release()
    throw error
  }
}

function openFolder(dir: string): string {
  try {
    makeFolder(resolve(dir))
    accessSync(resolve(dir), constants.W_OK)
    keepOutOfGit(dirname(resolve(dir)))
    return realpathSync(resolve(dir))
  } catch (cause) {
    throw new EmbeddedFailed(
      `${resolve(dir)} cannot be written: ${(cause as Error).message}`,
      'Choose a writable folder.',
      {
        cause,
      },
    )
  }
}

/** A server nobody can log in to, or one its last owner has told to stop, is brought down instead. */
async function adopt(place: Place, mayAdopt: boolean): Promise<Running | undefined> {
  const found = livePostmaster(place.dataDir)
  if (!found) return undefined
  if (!mayAdopt) {
    await stopServer(found, 'fast')
    return undefined
  }
  const server = await waitUntilReady(place.dataDir)
  return server && { server, adopted: true, notes: place.notes }
}

async function startFresh(
  place: Place,
  connection: Connection,
  passwordIsKnown: boolean,
  options: EmbeddedOptions,
): Promise<Running> {
  const { dataDir, account } = place
  const binaries = await prepareBinaries(account, options.binDir)
  // Before the data exists, so that data without a known password never does.
  writeConnection(connection)
  if (hasCluster(dataDir)) {
    checkVersion(dataDir, binaries)
    forgetDeadPostmaster(dataDir)
    if (!passwordIsKnown) await resetPassword(binaries, account, dataDir, connection.password)
  } else {
    await createCluster({ binaries, account, dataDir, password: connection.password, durable: true })
  }
  const logFile = join(connection.dir, 'server.log')
  const settings = { ...DURABLE, ...options.settings }
  const server = await launch({ binaries, account, dataDir, logFile, settings, port: connection.port })
  return { server, adopted: false, notes: [...place.notes, ...binaries.notes] }
}

async function own(
  { server, adopted, notes }: Running,
  connection: Connection,
  lock: FolderLock,
  stopOnExit: boolean,
): Promise<EmbeddedPostgres> {
  const { pid, born, port } = server
  try {
    await ensureDatabase(port, connection.password)
  } catch (error) {
    // What we started we take down again; what we found we leave to whoever can look at it.
    if (!adopted) await stopServer(server, 'fast')
    throw error
  }
  const url = urlOf(connection.password, port)
  writeConnection({ ...connection, port, pid, born, url })
  const forget = stopOnExit
    ? atExit(() => {
        // First the tombstone: whoever starts next must not adopt a server that is going down.
        lock.release()
        signal(server, 'SIGINT')
      })
    : () => {}
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= stopServer(server, 'fast').then(() => {
      forget()
      writeConnection({ ...connection, port })
      lock.release()
    })
    return stopped
  }
  return { url, dataDir: connection.dataDir, pid, adopted, notes, stop }
}
