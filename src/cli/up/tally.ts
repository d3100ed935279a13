/** What `up` says while it works: everything to a log; to a person the events worth a line, and a last line that counts. */
import type { App } from '../../app/holdfast.js'
import type { Working } from '../../app/work.js'
import type { ScaleDecision } from '../../domain/port.js'
import type { EndedAttempt } from '../../worker/worker-options.js'
import type { Log } from '../log.js'
import { shorten, widthOf } from '../table.js'
import type { Terminal } from '../terminal.js'
import { many } from '../words.js'

export interface Tally {
  ended(ended: EndedAttempt): void
  scaled(decision: ScaleDecision): void
  begin(app: App, working: Working | undefined): void
  end(): void
}

const LOOK_MS = 500
/** More than so many successes in one look are told of together. */
const ONE_BY_ONE = 3

export function openTally(terminal: Terminal, log: Log, demo: boolean): Tally {
  const counts: Record<string, number> = {}
  const successes: EndedAttempt[] = []
  const told = log.pretty && demo
  let timer: NodeJS.Timeout | undefined
  return {
    ended(attempt) {
      const word = attempt.accepted ? (attempt.state ?? attempt.outcome) : 'refused'
      counts[word] = (counts[word] ?? 0) + 1
      if (told && word === 'succeeded') successes.push(attempt)
      else log.ended(attempt)
    },
    scaled({ from, to, depth }) {
      if (log.pretty) log.line('scaled', `${from} → ${many(to, 'worker')}, ${many(depth, 'job')} waiting`)
    },
    begin(app, working) {
      if (!log.pretty || working === undefined) return
      timer = setInterval(() => {
        tellSuccesses(log, successes.splice(0))
        if (terminal.watched) void lastLine(terminal, app, working, counts)
      }, LOOK_MS)
    },
    end() {
      clearInterval(timer)
      tellSuccesses(log, successes.splice(0))
    },
  }
}

/** A burst of forty would push everything else off the screen. */
function tellSuccesses(log: Log, ended: readonly EndedAttempt[]): void {
  const retried = ended.filter(({ attempt }) => attempt > 1)
  const first = ended.filter(({ attempt }) => attempt === 1)
  for (const one of first.length <= ONE_BY_ONE ? ended : retried) log.ended(one)
  if (first.length <= ONE_BY_ONE) return
  const kinds = new Map<string, number>()
  for (const { kind } of first) kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
  const each = [...kinds].map(([kind, n]) => `${n} ${kind}`)
  log.line('succeeded', `${many(first.length, 'job')}: ${each.join(', ')}`)
}

async function lastLine(
  terminal: Terminal,
  app: App,
  working: Working,
  counts: Readonly<Record<string, number>>,
): Promise<void> {
  try {
    const stats = await working.stats()
    const [busy, slots] = [sum(stats.map((each) => each.busy)), sum(stats.map((each) => each.slots))]
    const queues = await app.store.list.queueCounts()
    const { dim } = terminal.paint
    const ends = Object.entries(counts).map(([word, n]) => `${n} ${word}`)
    const parts = [
      ...ends,
      `${busy} of ${many(slots, 'worker')} busy`,
      `${sum(queues.map((each) => each.queued))} queued`,
    ]
    terminal.passing(dim(shorten(`          ${parts.join(' · ')}`, widthOf(terminal) - 1)))
  } catch {
    // The database is away for a moment; the log says so.
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0)
