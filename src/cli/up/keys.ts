/**
 * The keys of `up` on a terminal: `o` opens the dashboard, `q` stops as Ctrl-C does. Keys without Enter need the raw mode, in which the
 * terminal sends no signals: Ctrl-C, Ctrl-Z and Ctrl-\ are sent from here. The mode is restored on every exit.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

type Keyboard = Pick<NodeJS.ReadStream, 'isTTY' | 'setRawMode' | 'on' | 'off' | 'resume' | 'pause'>

export interface KeyActions {
  readonly open: () => void
  /** Defaults to signals of this process. */
  readonly signal?: (name: NodeJS.Signals) => void
}

const SIGNALS: Readonly<Record<string, NodeJS.Signals>> = {
  q: 'SIGINT',
  '\x03': 'SIGINT',
  '\x1c': 'SIGQUIT',
  '\x1a': 'SIGTSTP',
}

/** Returns a function that restores the terminal; it may be called twice. */
export function listenForKeys(
  { open, signal = (name) => process.kill(process.pid, name) }: KeyActions,
  keyboard: Keyboard = process.stdin,
): () => void {
  let isOn = false
  const setRaw = (on: boolean) => {
    if (on !== isOn) keyboard.setRawMode(on)
    isOn = on
  }
  const onKeys = (keys: Buffer) => {
    for (const key of keys.toString('utf8').toLowerCase()) {
      const name = SIGNALS[key]
      if (key === 'o') open()
      // The shell that takes over expects its own mode.
      if (name === 'SIGTSTP' || name === 'SIGQUIT') setRaw(false)
      if (name !== undefined) signal(name)
    }
  }
  const onContinue = () => setRaw(true)
  const restore = () => {
    setRaw(false)
    keyboard.off('data', onKeys)
    keyboard.pause()
    process.off('exit', restore)
    process.off('SIGCONT', onContinue)
  }
  process.on('exit', restore)
  if (process.platform !== 'win32') process.on('SIGCONT', onContinue)
  keyboard.on('data', onKeys)
  setRaw(true)
  keyboard.resume()
  return restore
}

/** False for a process that the shell started with `&`: the system would stop it as soon as it touches the terminal. */
export function ownsTerminal(): boolean {
  if (process.stdin.isTTY !== true) return false
  if (process.platform === 'win32') return true
  try {
    const [group, foreground] = process.platform === 'linux' ? groupsOfProc() : groupsOfPs()
    return group !== undefined && group === foreground
  } catch {
    return false
  }
}

function groupsOfProc(): (string | undefined)[] {
  // The name of the program, in parentheses, may have spaces. Then: state, parent, group, session, terminal, foreground group.
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return [fields[2], fields[5]]
}

function groupsOfPs(): (string | undefined)[] {
  const { stdout } = spawnSync('ps', ['-o', 'pgid=,tpgid=', '-p', String(process.pid)], { encoding: 'utf8' })
  return stdout.trim().split(/\s+/)
}
