// The embedded Postgres: a real server from npm for users without one.
//
// A folder (`./.holdfast/pg`) belongs to one process at a time, its owner. Beside the data the folder has
//   lock.<n>         the owner (lock.ts)
//   connection.json  url and password, mode 0600, for a second terminal (find.ts)
//   server.log       the log of Postgres
// and `.holdfast` a .gitignore that keeps all of it out of Git.
// The owner starts the server, restarts it when it dies (keeper.ts), and stops it on exit. An owner that is killed cannot stop it: the
// server keeps running, with every committed row, and the next start adopts it. What may never happen:
//   - two servers on one data folder, or one server with two owners: owner and postmaster are recognised by pid and
//     moment of birth, never by pid alone, and a living owner is never pushed aside (EmbeddedInUse);
//   - an empty database in place of existing data: every place that may hold data is searched, and an incomplete data
//     folder never gets its name (place.ts, cluster.ts);
//   - a program, setting or variable of the machine's own Postgres taking part: absolute paths, clean environment;
//   - the password in argv, in a log or in an error;
//   - root writing through a link that another user created under the name of one of these files (plain-file.ts).
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
import { Keeper } from './keeper.js'
import { acquireLock, type FolderLock } from './lock.js'
import { type DataPlace, placeOf } from './place.js'
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
  /** Stop the server when this process exits normally. Signals are left to the caller. */
  stopOnExit?: boolean
  /** Called when the server died and was restarted, or could not be. */
  onNotice?: (notice: string) => void
}

export interface EmbeddedPostgres {
  url: string
  dataDir: string
  /** Changes when the server died and was restarted. */
  readonly pid: number
  /** The server was already running, left behind by an owner that died. */
  adopted: boolean
  /** Notes for the user, such as data kept in another place. */
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
    return await own(running, { place, connection, lock, options })
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

/** Stops a server that refuses our password, or that its last owner had asked to stop. */
async function adopt(place: DataPlace, mayAdopt: boolean): Promise<Running | undefined> {
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
  place: DataPlace,
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
  const server = await launch({ ...howToLaunch(place, connection, options), binaries, port: connection.port })
  return { server, adopted: false, notes: [...place.notes, ...binaries.notes] }
}

function howToLaunch({ dataDir, account }: DataPlace, { dir }: Connection, { settings }: EmbeddedOptions) {
  return { account, dataDir, logFile: join(dir, 'server.log'), settings: { ...DURABLE, ...settings } }
}

/** Restarts the same server on its old port, which clients know. */
async function startAgain({ place, connection, options }: OwnedServer, port: number): Promise<Postmaster> {
  const { dataDir, account } = place
  const running = await waitUntilReady(dataDir)
  if (running) return running
  const binaries = await prepareBinaries(account, options.binDir)
  checkVersion(dataDir, binaries)
  forgetDeadPostmaster(dataDir)
  return launch({ ...howToLaunch(place, connection, options), binaries, port, samePort: true })
}

interface OwnedServer {
  readonly place: DataPlace
  readonly connection: Connection
  readonly lock: FolderLock
  readonly options: EmbeddedOptions
}

async function own({ server, adopted, notes }: Running, owned: OwnedServer): Promise<EmbeddedPostgres> {
  const { connection, lock, options } = owned
  const { port } = server
  try {
    await ensureDatabase(port, connection.password)
  } catch (error) {
    // Stops a server that this process started; one that was found keeps running, for inspection.
    if (!adopted) await stopServer(server, 'fast')
    throw error
  }
  const url = urlOf(connection.password, port)
  const note = ({ pid, born }: Postmaster) => writeConnection({ ...connection, port, pid, born, url })
  note(server)
  const keeper = new Keeper(server, {
    again: async () => {
      const again = await startAgain(owned, port)
      note(again)
      return again
    },
    report: options.onNotice ?? (() => {}),
  })
  const forget =
    (options.stopOnExit ?? true)
      ? atExit(() => {
          // First the tombstone: the next process to start must not adopt a server that is shutting down.
          lock.release()
          signal(keeper.server, 'SIGINT')
        })
      : () => {}
  let stopped: Promise<void> | undefined
  const end = async () => {
    await keeper.stop()
    await stopServer(keeper.server, 'fast')
    forget()
    writeConnection({ ...connection, port })
    lock.release()
  }
  return {
    url,
    dataDir: connection.dataDir,
    get pid() {
      return keeper.server.pid
    },
    adopted,
    notes,
    stop: () => {
      stopped ??= end()
      return stopped
    },
  }
}
