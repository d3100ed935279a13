/** Writes to stdout and stderr. Masks passwords in all output, and treats a closed pipe as the end, not as an error. */
import { once } from 'node:events'
import { mask } from './mask.js'

export interface Paint {
  bold(text: string): string
  dim(text: string): string
  green(text: string): string
  yellow(text: string): string
  red(text: string): string
  inverse(text: string): string
}

export interface Terminal {
  readonly paint: Paint
  readonly errorPaint: Paint
  /** stdout is a terminal: progress is shown, and the demo pauses between steps. */
  readonly interactive: boolean
  /** Width of a line; undefined in a pipe, where nothing is shortened. */
  readonly columns: number | undefined
  /** Number of lines; undefined in a pipe. */
  readonly rows: number | undefined
  /** Aborts when the reader has closed the pipe. */
  readonly unread: AbortSignal
  out(text: string): void
  /** Writes data unchanged; resolves when the stream can take more. */
  write(data: string): Promise<void>
  err(text: string): void
  /** Shows a status line that the next output overwrites; only on a terminal. */
  status(text: string): void
  /** Calls the listener when the window has another size; returns what ends that. */
  onResize(listener: () => void): () => void
}

type Stream = NodeJS.WriteStream

/** For a terminal that does not report its size. */
const DEFAULT_COLUMNS = 80
const DEFAULT_ROWS = 24

export function openTerminal(
  stdout: Stream = process.stdout,
  stderr: Stream = process.stderr,
  env: NodeJS.ProcessEnv = process.env,
): Terminal {
  const unread = new AbortController()
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // EIO: the terminal was closed.
      if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error
      unread.abort()
    })
  }
  let hasStatus = false
  const clear = () => {
    if (hasStatus) stdout.write('\r\x1b[K')
    hasStatus = false
  }
  return {
    paint: paintFor(stdout, env),
    errorPaint: paintFor(stderr, env),
    interactive: stdout.isTTY === true,
    // Read each time, because a window can be resized.
    get columns() {
      return stdout.isTTY === true ? stdout.columns || DEFAULT_COLUMNS : undefined
    },
    get rows() {
      return stdout.isTTY === true ? stdout.rows || DEFAULT_ROWS : undefined
    },
    unread: unread.signal,
    out(text) {
      clear()
      if (!unread.signal.aborted) stdout.write(`${mask(text)}\n`)
    },
    async write(data) {
      clear()
      if (unread.signal.aborted || stdout.write(data)) return
      // A closed pipe never drains.
      await once(stdout, 'drain', { signal: unread.signal }).catch(() => {})
    },
    err(text) {
      clear()
      stderr.write(`${mask(text)}\n`)
    },
    status(text) {
      if (stdout.isTTY !== true || env.TERM === 'dumb') return
      clear()
      stdout.write(mask(text))
      hasStatus = true
    },
    onResize(listener) {
      stdout.on('resize', listener)
      return () => stdout.off('resize', listener)
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
    inverse: style(7, 27),
  }
}
