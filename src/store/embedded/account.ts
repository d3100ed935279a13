// Postgres refuses to run as root, so root starts it under an unprivileged account; anybody else starts it as themselves.
import { readFileSync, statSync } from 'node:fs'

export interface Account {
  uid: number
  gid: number
}

export const isRoot = (): boolean => process.getuid?.() === 0

/** Undefined means: as ourselves. */
export function accountForNewData(): Account | undefined {
  return isRoot() ? nobody() : undefined
}

/** A folder made earlier by an ordinary user keeps its owner, so `sudo` once does not lock that user out. */
export function accountForExistingData(dataDir: string): Account | undefined {
  if (!isRoot()) return undefined
  const { uid, gid } = statSync(dataDir)
  return uid === 0 ? nobody() : { uid, gid }
}

function nobody(): Account {
  try {
    const fields = readFileSync('/etc/passwd', 'utf8').match(/^nobody:[^:]*:(-?\d+):(-?\d+):/m)
    if (fields) return { uid: Number(fields[1]) >>> 0, gid: Number(fields[2]) >>> 0 }
  } catch {
    // Images without /etc/passwd exist; the number works without the name.
  }
  return { uid: 65534, gid: 65534 }
}
