// The account Postgres runs under. Postgres refuses to run as root, so root starts it under an unprivileged account; other users start it as themselves.
import { readFileSync, statSync } from 'node:fs'

export interface Account {
  uid: number
  gid: number
}

export const isRoot = (): boolean => process.getuid?.() === 0

/** Undefined: the account of this process. */
export function accountForNewData(): Account | undefined {
  return isRoot() ? unprivilegedAccount() : undefined
}

/** A folder made earlier by an ordinary user keeps its owner, so `sudo` once does not lock that user out. */
export function accountForExistingData(dataDir: string): Account | undefined {
  if (!isRoot()) return undefined
  const { uid, gid } = statSync(dataDir)
  return uid === 0 ? unprivilegedAccount() : { uid, gid }
}

function unprivilegedAccount(): Account {
  try {
    const fields = readFileSync('/etc/passwd', 'utf8').match(/^nobody:[^:]*:(-?\d+):(-?\d+):/m)
    if (fields) return { uid: Number(fields[1]) >>> 0, gid: Number(fields[2]) >>> 0 }
  } catch {
    // Images without /etc/passwd exist; the number works without the name.
  }
  return { uid: 65534, gid: 65534 }
}
