/**
 * The terminal while the view is open: the alternate screen, keys as they are pressed, and lines that are written only where they changed.
 * `leave` restores everything, and runs on every way out: at the end, after an error, on a signal, and before the process is suspended.
 */
import type { Terminal } from '../terminal/terminal.js'
import { KeyReader, type TopKey } from './keys.js'

/** Alternate screen, no cursor, no wrapping at the last column, pasted text in brackets. */
const ENTER = '\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[?2004h\x1b[2J'
const LEAVE = '\x1b[0m\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[?1049l'
const CLEAR = '\x1b[2J'
const at = (row: number) => `\x1b[${row + 1};1H\x1b[2K`

/** The shell may ignore the suspension of its only process: after this long the view is back. */
const SUSPENSION_MS = 100

export interface ScreenEvents {
  onKey(key: TopKey): void
  /** The size has changed, or the screen has to be drawn again. */
  onRedraw(): void
  /** The terminal was closed. */
  onEnd(): void
}

type KeyInput = Pick<NodeJS.ReadStream, 'on' | 'off' | 'setRawMode' | 'setEncoding' | 'resume' | 'pause'>

export class Screen {
  readonly #terminal: Pick<Terminal, 'write' | 'onResize'>
  readonly #input: KeyInput
  readonly #events: ScreenEvents
  readonly #keys: KeyReader
  /** What the terminal shows, by line. */
  #shown: readonly string[] = []
  #isOpen = false
  /** The terminal has not taken the last output yet. */
  #isBehind = false
  #latest: readonly string[] | undefined
  #endResize: () => void = () => {}
  #resumption: NodeJS.Timeout | undefined

  constructor(terminal: Pick<Terminal, 'write' | 'onResize'>, input: KeyInput, events: ScreenEvents) {
    this.#terminal = terminal
    this.#input = input
    this.#events = events
    this.#keys = new KeyReader((key) => events.onKey(key))
  }

  open(): void {
    this.#enter()
    this.#endResize = this.#terminal.onResize(this.#onResize)
    process.on('exit', this.#leave)
    process.on('SIGTSTP', this.suspend)
    process.on('SIGCONT', this.#onContinue)
  }

  close(): void {
    clearTimeout(this.#resumption)
    this.#endResize()
    process.off('exit', this.#leave)
    process.off('SIGTSTP', this.suspend)
    process.off('SIGCONT', this.#onContinue)
    this.#leave()
  }

  /** Writes the lines that differ from what the terminal shows. Over a slow connection, frames in between are left out. */
  draw(lines: readonly string[]): void {
    if (!this.#isOpen) return
    if (this.#isBehind) {
      this.#latest = lines
      return
    }
    const changes = lines.flatMap((text, row) => (this.#shown[row] === text ? [] : [`${at(row)}${text}`]))
    const gone = this.#shown.slice(lines.length).map((_, n) => at(lines.length + n))
    this.#shown = lines
    if (changes.length + gone.length > 0) this.#write([...changes, ...gone].join(''))
  }

  /** The next `draw` writes every line. */
  forget(): void {
    this.#shown = []
    if (this.#isOpen) this.#write(CLEAR)
  }

  readonly suspend = (): void => {
    // Windows cannot suspend a process.
    if (!this.#isOpen || process.platform === 'win32') return
    this.#leave()
    // Without our listener the signal stops the process, as the shell expects; the whole group, as Ctrl-Z does.
    process.off('SIGTSTP', this.suspend)
    process.kill(0, 'SIGTSTP')
    this.#resumption = setTimeout(this.#resume, SUSPENSION_MS)
  }

  #write(text: string): void {
    this.#isBehind = true
    this.#terminal.write(text).then(() => {
      this.#isBehind = false
      const latest = this.#latest
      this.#latest = undefined
      if (latest !== undefined) this.draw(latest)
    })
  }

  #enter(): void {
    this.#isOpen = true
    this.#shown = []
    this.#input.setRawMode(true)
    this.#input.setEncoding('utf8')
    this.#input.on('data', this.#onData)
    this.#input.on('end', this.#onEnd)
    this.#input.resume()
    this.#write(ENTER)
  }

  readonly #leave = (): void => {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#latest = undefined
    this.#keys.stop()
    this.#input.off('data', this.#onData)
    this.#input.off('end', this.#onEnd)
    this.#input.pause()
    // Fails where the terminal is gone; then there is nothing to restore.
    try {
      this.#input.setRawMode(false)
    } catch {}
    this.#terminal.write(LEAVE).catch(() => {})
  }

  readonly #resume = (): void => {
    clearTimeout(this.#resumption)
    if (this.#isOpen) return
    process.on('SIGTSTP', this.suspend)
    this.#enter()
    this.#events.onRedraw()
  }

  readonly #onContinue = (): void => {
    if (!this.#isOpen) {
      this.#resume()
      return
    }
    // The shell may have changed the mode of the terminal, and Node changes only a mode that it believes to be another.
    this.#input.setRawMode(false)
    this.#input.setRawMode(true)
    this.#write(ENTER)
    this.#onResize()
  }

  readonly #onResize = (): void => {
    this.forget()
    this.#events.onRedraw()
  }

  readonly #onData = (text: string): void => this.#keys.receive(text)
  readonly #onEnd = (): void => this.#events.onEnd()
}
