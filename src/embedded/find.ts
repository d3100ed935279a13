// Finds the address of a server that another process owns.
import { existsSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { readConnection } from './connection.js'
import { holderOf } from './lock.js'
import { isAlive } from './process.js'

export interface FoundEmbedded {
  url: string
  pid: number
  /** Undefined when the owner died and left the server behind; the next start adopts it. */
  ownerPid: number | undefined
}

export async function findEmbedded({ dir = './.holdfast/pg' } = {}): Promise<FoundEmbedded | undefined> {
  if (!existsSync(dir)) return undefined
  const real = realpathSync(resolve(dir))
  const { pid, born, url, dir: writtenFor } = readConnection(real) ?? {}
  // A copied folder names the server of the original, which does not belong to it.
  if (!pid || !url || writtenFor !== real || !isAlive({ pid, born })) return undefined
  const holder = holderOf(real)
  // Released but still running: it is shutting down.
  if (holder?.released) return undefined
  return { url, pid, ownerPid: holder?.alive ? holder.pid : undefined }
}
