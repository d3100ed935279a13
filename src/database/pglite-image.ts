/**
 * A new PGlite database, kept in this user's cache: a database in memory that starts from it is there in a quarter of the time. It is a
 * shortcut only. Where the file cannot be written, read or used, PGlite creates a database as usual.
 *
 * Every copy gets a system identifier of its own, as `initdb` would give it: a cursor of the feed knows its server by that number.
 */
import { randomBytes } from 'node:crypto'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { cacheHomes } from '../embedded/cache.js'
import { isOwnFolder, makeOwnFolder } from '../embedded/folders.js'

interface Dumpable {
  dumpDataDir(compression: 'none'): Promise<Blob>
}

/** A new database: `create` starts from the image that it is given, and without one creates a database, which becomes the image. */
export async function createFromImage<Lite extends Dumpable>(
  create: (image?: Blob) => Promise<Lite>,
  homes: readonly string[] = cacheHomes(),
): Promise<Lite> {
  const image = await readImage(homes)
  if (image !== undefined) {
    try {
      return await create(image)
    } catch {
      for (const home of homes.filter(isOwn)) rmSync(join(home, imageName()), { force: true })
    }
  }
  const lite = await create()
  await writeImage(homes, lite)
  return lite
}

/** Undefined where there is no image yet, or none that can be used. */
async function readImage(homes: readonly string[]): Promise<Blob | undefined> {
  for (const home of homes.filter(isOwn)) {
    try {
      const tar = await promisify(gunzip)(readFileSync(join(home, imageName())))
      giveIdentity(tar, newIdentifier())
      return new Blob([new Uint8Array(tar)])
    } catch {
      // Not there, or damaged: it is written again.
    }
  }
  return undefined
}

/** The file gets its name only when it is complete, so no process reads a part of it. */
async function writeImage(homes: readonly string[], lite: Dumpable): Promise<void> {
  const home = homes.find(makeOwnFolder)
  if (home === undefined) return
  const draft = join(home, `${imageName()}.${process.pid}.${randomBytes(4).toString('hex')}`)
  try {
    const tar = Buffer.from(await (await lite.dumpDataDir('none')).arrayBuffer())
    // One that cannot be given an identity is not kept.
    giveIdentity(tar, newIdentifier())
    writeFileSync(draft, await promisify(gzip)(tar, { level: 1 }), { mode: 0o600, flag: 'wx' })
    renameSync(draft, join(home, imageName()))
  } catch {
    rmSync(draft, { force: true })
  }
}

function isOwn(home: string): boolean {
  try {
    return isOwnFolder(home)
  } catch {
    return false
  }
}

function imageName(): string {
  const main = createRequire(import.meta.url).resolve('@electric-sql/pglite')
  const { version } = JSON.parse(readFileSync(join(dirname(main), '..', 'package.json'), 'utf8'))
  return `pglite-${version}.tar.gz`
}

/** As initdb does: the time, and something that differs between two of the same second. */
function newIdentifier(): bigint {
  return (BigInt(Math.floor(Date.now() / 1000)) << 32n) | BigInt(randomBytes(4).readUInt32LE())
}

/** Where the first page of a WAL segment has the identifier, and what marks that page as one. */
const WAL_IDENTIFIER_AT = 24
const WAL_LONG_HEADER = 0x0002

/** Writes the identifier where Postgres compares it: into the control file, with its checksum, and into each segment of the WAL. */
function giveIdentity(tar: Buffer, identifier: bigint): void {
  let isGiven = false
  for (const { name, data } of filesOf(tar)) {
    if (name.endsWith('global/pg_control')) {
      const checksumAt = findChecksum(data)
      data.writeBigUInt64LE(identifier, 0)
      data.writeUInt32LE(crc32c(data.subarray(0, checksumAt)), checksumAt)
      isGiven = true
    } else if (/pg_wal\/[0-9A-F]{24}$/.test(name) && (data.readUInt16LE(2) & WAL_LONG_HEADER) !== 0) {
      data.writeBigUInt64LE(identifier, WAL_IDENTIFIER_AT)
    }
  }
  if (!isGiven) throw new Error('the image has no control file')
}

/** The files of a tar archive, as parts of its memory. */
function* filesOf(tar: Buffer): Generator<{ name: string; data: Buffer }> {
  const text = (from: number, to: number) => tar.toString('latin1', from, to).replace(/\0.*$/s, '')
  for (let at = 0; at + 512 <= tar.length && tar[at] !== 0; ) {
    const size = Number.parseInt(text(at + 124, at + 136), 8) || 0
    const prefix = text(at + 345, at + 500)
    const name = `${prefix === '' ? '' : `${prefix}/`}${text(at, at + 100)}`
    yield { name, data: tar.subarray(at + 512, at + 512 + size) }
    at += 512 + Math.ceil(size / 512) * 512
  }
}

/** The control file ends with a checksum of all before it; where that is differs between versions of Postgres. */
function findChecksum(control: Buffer): number {
  for (let at = 64; at + 4 <= 512; at += 4)
    if (control.readUInt32LE(at) === crc32c(control.subarray(0, at))) return at
  throw new Error('the control file has no checksum')
}

const CASTAGNOLI = 0x82f63b78

function crc32c(bytes: Buffer): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ ((crc & 1) * CASTAGNOLI)
  }
  return (crc ^ 0xffffffff) >>> 0
}
