// connection.json: the address of the server for other processes, and the only place that holds the password.
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Account, isRoot } from './account.js'
import { NAME } from './cluster.js'
import { EmbeddedFailed } from './errors.js'
import { replaceFile } from './plain-file.js'

export interface Connection {
  /** The folder this file was written for; a copied project must not follow `dataDir` into the original's data. */
  dir: string
  dataDir: string
  password: string
  port?: number
  /** Of the running server; absent while it is stopped. */
  pid?: number
  born?: string | undefined
  url?: string
}

export const urlOf = (password: string, port: number): string =>
  `postgres://${NAME}:${password}@127.0.0.1:${port}/${NAME}`

export function readConnection(dir: string): Connection | undefined {
  try {
    const read = JSON.parse(readFileSync(join(dir, 'connection.json'), 'utf8')) as Partial<Connection>
    // A file of another folder counts as lost: the password can be reset.
    return read.password && read.dataDir && read.dir ? (read as Connection) : undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EACCES' || code === 'EPERM') throw notOurs(dir, error)
    if (code && code !== 'ENOENT' && code !== 'ENOTDIR') throw error
    return undefined
  }
}

export function writeConnection(connection: Connection): void {
  // Losing this file to a power cut would cost the password of data that survived it.
  replaceFile(join(connection.dir, 'connection.json'), `${JSON.stringify(connection, undefined, 2)}\n`, {
    durable: true,
    owner: userOf(connection),
  })
}

/** The user whose folder and data root works on: a file of root's would lock that user out. */
function userOf({ dir, dataDir }: Connection): Account | undefined {
  if (!isRoot()) return undefined
  const [folder, data] = [dir, dataDir].map((path) => statSync(path, { throwIfNoEntry: false }))
  if (!folder || folder.uid === 0 || folder.uid !== data?.uid) return undefined
  return { uid: folder.uid, gid: folder.gid }
}

export function notOurs(path: string, cause: unknown): EmbeddedFailed {
  return new EmbeddedFailed(
    `${path} belongs to another user`,
    'Run as the user who started it first (or as root), or choose another folder.',
    { cause },
  )
}
