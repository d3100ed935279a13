/** The log of long-running commands: JSON lines, or short lines for a person at a terminal. Never logs inputs or results of jobs. */
import { pino } from 'pino'
import type { Config } from '../../config/resolve.js'
import type { EndedAttempt, Log } from '../../domain/log.js'
import { moment, paintState, span } from './format.js'
import { mask } from './mask.js'
import type { Terminal } from './terminal.js'

export interface CommandLog extends Log {
  readonly pretty: boolean
  /** Writes a line for a person; ignored in a JSON log. */
  line(label: string, text: string): void
  /** For the library and the server: a person sees their `info` lines only at level debug. */
  readonly below: Log
  ended(ended: EndedAttempt): void
}

export function openLog(config: Config, terminal: Terminal, json: boolean): CommandLog {
  const format = json ? 'json' : config.get('log.format')
  const level = config.get('log.level')
  const pretty = format === 'pretty' || (format === 'auto' && terminal.interactive)
  return pretty ? prettyLog(terminal, level) : jsonLog(terminal, level)
}

function jsonLog(terminal: Terminal, level: string): CommandLog {
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
    // The worker runtime logs each attempt itself.
    ended: () => {},
  }
}

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

function prettyLog(terminal: Terminal, level: string): CommandLog {
  const { paint } = terminal
  const levelMin = LEVELS.indexOf(level)
  const line = (severity: string, label: string, text: string) => {
    if (LEVELS.indexOf(severity) < levelMin) return
    terminal.out(`${paint.dim(`${moment(new Date())?.slice(11, 19)}`)}  ${label}  ${text}`)
  }
  const logAt = (severity: 'debug' | 'info' | 'warn' | 'error') => (fields: object, message: string) => {
    const tint = severity === 'error' ? paint.red : severity === 'warn' ? paint.yellow : paint.dim
    line(severity, tint(severity.padEnd(9)), `${message}${formatFields({ ...fields })}`)
  }
  const plain = { debug: logAt('debug'), info: logAt('info'), warn: logAt('warn'), error: logAt('error') }
  return {
    ...plain,
    pretty: true,
    // `ended` writes a shorter line for each attempt.
    below: { ...plain, info: plain.debug, attempt: () => {} },
    line: (label, text) => line('info', paintState(paint, label)(label.padEnd(9)), text),
    ended({ jobId, attempt, kind, outcome, accepted, state, dueAt, ranMs }) {
      const result = accepted ? (state ?? outcome) : 'lost'
      const tries = attempt > 1 ? `, attempt ${attempt}` : ''
      const then = dueAt === null ? '' : `, again in ${span(dueAt.getTime() - Date.now())}`
      const how = result === outcome || !accepted ? '' : ` ${outcome}`
      line(
        'info',
        paintState(paint, result)(result.padEnd(9)),
        `#${jobId} ${kind}${how}${tries}, ${span(ranMs)}${then}`,
      )
    },
  }
}

/** `event` names the line for programs; a person reads the message. */
function formatFields({ event: _name, ...fields }: Record<string, unknown>): string {
  const parts = Object.entries(fields).map(
    ([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : value}`,
  )
  return parts.length === 0 ? '' : mask(` (${parts.join(', ')})`)
}
