// Recognises a process again. A pid alone is not enough: pids are reused, most of all in containers, where a restarted process often gets
// its predecessor's number. So a mark is pid + start time.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

export interface ProcessMark {
  pid: number
  /** Opaque; equal only for the same process. Undefined where the platform does not provide it. */
  born?: string | undefined
}

export function markOf(pid: number): ProcessMark {
  return { pid, born: observe(pid)?.born }
}

export function isAlive(mark: ProcessMark): boolean {
  const seen = observe(mark.pid)
  if (!seen) return false
  return !mark.born || !seen.born || mark.born === seen.born
}

export function signal(mark: ProcessMark, name: NodeJS.Signals): void {
  if (!isAlive(mark)) return
  try {
    process.kill(mark.pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** True when the process ended before the deadline. */
export async function waitUntilGone(mark: ProcessMark, withinMs: number): Promise<boolean> {
  const deadline = Date.now() + withinMs
  while (isAlive(mark)) {
    if (Date.now() > deadline) return false
    await new Promise((wake) => setTimeout(wake, 10))
  }
  return true
}

function observe(pid: number): { born?: string | undefined } | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM: it is alive, but belongs to another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return undefined
  }
  if (process.platform === 'linux') return observeLinux(pid)
  if (process.platform === 'win32') return {}
  try {
    const born = execFileSync('/bin/ps', ['-o', 'lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      stdio: 'pipe',
    })
    return { born: born.trim() || undefined }
  } catch {
    return {}
  }
}

function observeLinux(pid: number): { born?: string | undefined } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The command name may itself contain spaces and brackets; fields are counted after its closing bracket.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // A zombie still answers kill(0); in a container whose pid 1 never reaps it would do so forever.
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined
    // The start time is counted in ticks since boot, so the boot id makes it unique.
    return { born: `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${fields[19]}` }
  } catch {
    // Hidden (hidepid) or just gone; the caller's next check shows which.
    return {}
  }
}
