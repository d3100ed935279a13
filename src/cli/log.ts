/** Lines about work: JSON for machines, one short line each for a person at a terminal. Never what is in a job. */
import { pino } from 'pino'
import type { Config } from '../config/resolve.js'
import type { EndedAttempt, WorkerLog } from '../worker/worker-options.js'
import { mask } from './mask.js'
import type { Terminal } from './terminal.js'
import { moment, paintState, span } from './words.js'

export interface Log extends WorkerLog {
  readonly pretty: boolean
  /** What a person reads; nothing in a log for machines. */
  line(word: string, text: string): void
  /** For what is below: what it does all day is no news to a person. */
  readonly below: WorkerLog
  ended(ended: EndedAttempt): void
}

export function openLog(config: Config, terminal: Terminal, json: boolean): Log {
  const format = json ? 'json' : config.get('log.format')
  const level = config.get('log.level')
  const pretty = format === 'pretty' || (format === 'auto' && terminal.watched)
  return pretty ? prettyLog(terminal, level) : jsonLog(terminal, level)
}

function jsonLog(terminal: Terminal, level: string): Log {
  const log = pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line: string) => terminal.out(line.trimEnd()) },
  )
  const plain = {
    debug: log.debug.bind(log),
    info: log.info.bind(log),
    warn: log.warn.bind(log),
    error: log.error.bind(log),
    isLevelEnabled: log.isLevelEnabled.bind(log),
  }
  return {
    ...plain,
    pretty: false,
    below: plain,
    line: () => {},
    // What works below writes the line of each attempt itself.
    ended: () => {},
  }
}

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

function prettyLog(terminal: Terminal, level: string): Log {
  const { paint } = terminal
  const least = LEVELS.indexOf(level)
  const line = (severity: string, word: string, text: string) => {
    if (LEVELS.indexOf(severity) < least) return
    terminal.out(`${paint.dim(`${moment(new Date())?.slice(11, 19)}`)}  ${word}  ${text}`)
  }
  const at = (severity: 'debug' | 'info' | 'warn' | 'error') => (fields: object, message: string) => {
    const tint = severity === 'error' ? paint.red : severity === 'warn' ? paint.yellow : paint.dim
    line(severity, tint(severity.padEnd(9)), `${message}${told(fields)}`)
  }
  const plain = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
  return {
    ...plain,
    pretty: true,
    // A person gets a shorter line of each attempt, from `ended`.
    below: { ...plain, info: plain.debug, attempt: () => {} },
    line: (word, text) => line('info', paintState(paint, word)(word.padEnd(9)), text),
    ended({ jobId, attempt, kind, outcome, accepted, state, dueAt, ranMs }) {
      const word = accepted ? (state ?? outcome) : 'lost'
      const tries = attempt > 1 ? `, attempt ${attempt}` : ''
      const then = dueAt === null ? '' : `, again in ${span(dueAt.getTime() - Date.now())}`
      const how = word === outcome || !accepted ? '' : ` ${outcome}`
      line(
        'info',
        paintState(paint, word)(word.padEnd(9)),
        `#${jobId} ${kind}${how}${tries}, ${span(ranMs)}${then}`,
      )
    },
  }
}

function told(fields: object): string {
  const parts = Object.entries(fields).map(
    ([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : value}`,
  )
  return parts.length === 0 ? '' : mask(` (${parts.join(', ')})`)
}
