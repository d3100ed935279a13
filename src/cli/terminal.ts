/** The only place that writes to the user. Nothing gets out with a password in it, and a reader that went away is no error. */
import { once } from 'node:events'
import { mask } from './mask.js'

export interface Paint {
  bold(text: string): string
  dim(text: string): string
  green(text: string): string
  yellow(text: string): string
  red(text: string): string
}

export interface Terminal {
  readonly paint: Paint
  readonly errorPaint: Paint
  /** A person is watching: waits are shown, and steps leave time to read. */
  readonly watched: boolean
  /** How wide a line may be; undefined where nothing says so, as in a pipe: there nothing is shortened. */
  readonly columns: number | undefined
  /** Aborts when nobody reads our output any more. */
  readonly unread: AbortSignal
  out(text: string): void
  /** Somebody's data, as it is; resolves when more can be taken. */
  write(data: string): Promise<void>
  err(text: string): void
  /** Shows a passing remark that the next output overwrites; nothing where nobody is watching. */
  passing(text: string): void
}

type Stream = NodeJS.WriteStream

/** Of a terminal that does not say how wide it is. */
const USUAL_COLUMNS = 80

export function openTerminal(
  stdout: Stream = process.stdout,
  stderr: Stream = process.stderr,
  env: NodeJS.ProcessEnv = process.env,
): Terminal {
  const unread = new AbortController()
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
      unread.abort()
    })
  }
  let remark = false
  const clear = () => {
    if (remark) stdout.write('\r\x1b[K')
    remark = false
  }
  return {
    paint: paintFor(stdout, env),
    errorPaint: paintFor(stderr, env),
    watched: stdout.isTTY === true,
    // Asked for each time: a window changes its size.
    get columns() {
      return stdout.isTTY === true ? stdout.columns || USUAL_COLUMNS : undefined
    },
    unread: unread.signal,
    out(text) {
      clear()
      if (!unread.signal.aborted) stdout.write(`${mask(text)}\n`)
    },
    async write(data) {
      clear()
      if (unread.signal.aborted || stdout.write(data)) return
      // Whoever waits for a reader that has gone waits no longer.
      await once(stdout, 'drain', { signal: unread.signal }).catch(() => {})
    },
    err(text) {
      clear()
      stderr.write(`${mask(text)}\n`)
    },
    passing(text) {
      if (stdout.isTTY !== true || env.TERM === 'dumb') return
      clear()
      stdout.write(mask(text))
      remark = true
    },
  }
}

function paintFor(stream: Stream, env: NodeJS.ProcessEnv): Paint {
  // https://no-color.org: any value but the empty one turns colours off.
  const on = stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb'
  const style = (open: number, close: number) => (text: string) =>
    on ? `\x1b[${open}m${text}\x1b[${close}m` : text
  return {
    bold: style(1, 22),
    dim: style(2, 22),
    green: style(32, 39),
    yellow: style(33, 39),
    red: style(31, 39),
  }
}
