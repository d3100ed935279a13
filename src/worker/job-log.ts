/** Collects the lines a handler logs, to store the last ones with the attempt. */
import { LIMITS } from '../domain/limits.js'
import type { JobLogger } from './handlers.js'

/** Characters; the store cuts to the exact number of bytes. */
const KEPT = LIMITS.logExcerptBytesMax.default
/** Characters of a call while the job runs. */
const SENT = 4_096

type Level = 'debug' | 'info' | 'warn' | 'error'

export class JobLog {
  #lines: string[] = []
  #size = 0
  #unsent = 0
  #logger: JobLogger | null = null

  get text(): string | undefined {
    return this.#lines.length === 0 ? undefined : this.#lines.join('\n')
  }

  get hasUnsent(): boolean {
    return this.#unsent > 0
  }

  /** The lines since the last call, the latest of them if they are many. */
  takeUnsent(): string {
    const lines = this.#lines.slice(-this.#unsent)
    this.#unsent = 0
    return lines.join('\n').slice(-SENT)
  }

  /** A function with a method for each level. */
  get logger(): JobLogger {
    if (this.#logger === null) {
      const at = (level: Level) => (message: string, fields?: object) => this.add(level, message, fields)
      this.#logger = Object.assign(at('info'), {
        debug: at('debug'),
        info: at('info'),
        warn: at('warn'),
        error: at('error'),
      })
    }
    return this.#logger
  }

  add(level: string, message: unknown, fields?: object): void {
    const line = `${new Date().toISOString()} ${level} ${String(message)}${asText(fields)}`.slice(0, KEPT)
    this.#lines.push(line)
    this.#unsent += 1
    this.#size += line.length + 1
    // At twice the limit, so that most lines cost no cut.
    if (this.#size > 2 * KEPT) this.#cut()
  }

  #cut(): void {
    let kept = 0
    let from = this.#lines.length
    while (from > 0 && kept < KEPT) {
      from -= 1
      kept += (this.#lines[from]?.length ?? 0) + 1
    }
    this.#lines = this.#lines.slice(from)
    this.#size = kept
  }
}

function asText(fields: object | undefined): string {
  if (fields === undefined) return ''
  try {
    return ` ${JSON.stringify(fields)}`
  } catch {
    return ' (fields that are not JSON)'
  }
}
