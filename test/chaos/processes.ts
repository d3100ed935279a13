/** The processes of a Postgres, which are ended all at once: what it had not flushed is gone, as after a power cut. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** One clock for all processes of this machine that nobody sets. Microseconds. */
export const monotonic = (): number => Number(process.hrtime.bigint() / 1000n)

/** The postmaster first, so that it does not notice that its children die. */
export function familyOf(postmaster: number): number[] {
  const children = readdirSync('/proc').filter(
    (name) => /^\d+$/.test(name) && statOf(name)?.parent === String(postmaster),
  )
  return [postmaster, ...children.map(Number)]
}

/**
 * Ends every process of the server on this data folder, also those that the postmaster had started a moment before it died: such an orphan
 * may wait for a lock that nobody releases any more, and Postgres does not start again while it lives.
 */
export async function killOrphans(dataDir: string): Promise<void> {
  for (;;) {
    const left = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && folderOf(name) === dataDir)
    if (left.length === 0) return
    killAll(left.map(Number))
    await allGone(left.map(Number))
  }
}

function folderOf(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return undefined
  }
}

export function killAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // gone already
    }
  }
}

/** Resolves when none of them is there any more. */
export async function allGone(pids: readonly number[]): Promise<void> {
  while (pids.some(isThere)) await new Promise((resolve) => setTimeout(resolve, 5))
}

function isThere(pid: number): boolean {
  const stat = statOf(String(pid))
  return stat !== undefined && stat.state !== 'Z'
}

function statOf(pid: string): { state: string; parent: string } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state = '', parent = ''] = text.slice(text.lastIndexOf(')') + 2).split(' ', 2)
    return { state, parent }
  } catch {
    return undefined
  }
}
