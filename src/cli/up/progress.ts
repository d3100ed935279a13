/** The output of `up` while it runs: a line for each attempt, with bursts of successes summed up, and a status line with counts. */
import type { App } from '../../app/holdfast.js'
import type { WorkHandle } from '../../app/work.js'
import type { ScaleDecision } from '../../domain/port.js'
import type { EndedAttempt } from '../../worker/worker-options.js'
import { many } from '../terminal/format.js'
import type { CommandLog } from '../terminal/log.js'
import { shorten, widthOf } from '../terminal/table.js'
import type { Terminal } from '../terminal/terminal.js'

export interface ProgressReport {
  ended(ended: EndedAttempt): void
  scaled(decision: ScaleDecision): void
  begin(app: App, working: WorkHandle | undefined): void
  end(): void
}

const REFRESH_MS = 500
/** More successes than this within one refresh are summed up in one line. */
const SINGLE_LINES_MAX = 3

export function openProgress(terminal: Terminal, log: CommandLog, demo: boolean): ProgressReport {
  const counts: Record<string, number> = {}
  const successes: EndedAttempt[] = []
  const sumsUp = log.pretty && demo
  let timer: NodeJS.Timeout | undefined
  return {
    ended(attempt) {
      const result = attempt.accepted ? (attempt.state ?? attempt.outcome) : 'refused'
      counts[result] = (counts[result] ?? 0) + 1
      if (sumsUp && result === 'succeeded') successes.push(attempt)
      else log.ended(attempt)
    },
    scaled({ from, to, depth }) {
      if (log.pretty) log.line('scaled', `${from} → ${many(to, 'worker')}, ${many(depth, 'job')} waiting`)
    },
    begin(app, working) {
      if (!log.pretty || working === undefined) return
      timer = setInterval(() => {
        logSuccesses(log, successes.splice(0))
        if (terminal.interactive) void showStatus(terminal, app, working, counts)
      }, REFRESH_MS)
    },
    end() {
      clearInterval(timer)
      logSuccesses(log, successes.splice(0))
    },
  }
}

/** Sums up a burst of successes, which would push everything else off the screen. */
function logSuccesses(log: CommandLog, ended: readonly EndedAttempt[]): void {
  const retried = ended.filter(({ attempt }) => attempt > 1)
  const first = ended.filter(({ attempt }) => attempt === 1)
  for (const attempt of first.length <= SINGLE_LINES_MAX ? ended : retried) log.ended(attempt)
  if (first.length <= SINGLE_LINES_MAX) return
  const kinds = new Map<string, number>()
  for (const { kind } of first) kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
  const each = [...kinds].map(([kind, n]) => `${n} ${kind}`)
  log.line('succeeded', `${many(first.length, 'job')}: ${each.join(', ')}`)
}

async function showStatus(
  terminal: Terminal,
  app: App,
  working: WorkHandle,
  counts: Readonly<Record<string, number>>,
): Promise<void> {
  try {
    const stats = await working.stats()
    const [busy, slots] = [sum(stats.map((each) => each.busy)), sum(stats.map((each) => each.slots))]
    const queues = await app.store.list.queueCounts()
    const { dim } = terminal.paint
    const ends = Object.entries(counts).map(([result, n]) => `${n} ${result}`)
    const parts = [
      ...ends,
      `${busy} of ${many(slots, 'worker')} busy`,
      `${sum(queues.map((each) => each.queued))} queued`,
    ]
    terminal.status(dim(shorten(`          ${parts.join(' · ')}`, widthOf(terminal) - 1)))
  } catch {
    // The database is unreachable for a moment; the log has the error.
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, n) => total + n, 0)
