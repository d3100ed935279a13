/** Output of the demo: numbered steps for a person, at most 80 columns wide, or one JSON object per step. */
import { setTimeout as wait } from 'node:timers/promises'
import { wrap } from '../terminal/table.js'
import type { Terminal } from '../terminal/terminal.js'

/** Pause between steps on a terminal. */
const READ_MS = 550

export type StepMark = 'good' | 'bad' | 'plain'

export interface Stage {
  /** Begins a numbered step. */
  step(title: string): Promise<void>
  /** A fact that is true now. */
  fact(mark: StepMark, text: string): void
  /** Who did what, and how it went. */
  act(who: string, what: string, how: string, mark?: StepMark): void
  /** Text as it is, set in. */
  quote(text: string): void
  /** A wait, shown while it lasts. */
  status(text: string): void
  /** What a program reads instead of all the above. */
  record(step: string, facts: Record<string, unknown>): void
}

export function stageFor(terminal: Terminal, json: boolean, signal: AbortSignal): Stage {
  return json ? jsonStage(terminal, signal) : screenStage(terminal, signal)
}

function jsonStage(terminal: Terminal, signal: AbortSignal): Stage {
  const nothing = () => {}
  return {
    step: async () => signal.throwIfAborted(),
    fact: nothing,
    act: nothing,
    quote: nothing,
    status: nothing,
    record: (step, facts) => terminal.out(JSON.stringify({ step, ...facts })),
  }
}

function screenStage(terminal: Terminal, signal: AbortSignal): Stage {
  const { bold, dim, green, yellow } = terminal.paint
  const unpainted = (text: string) => text
  // Only failures have coloured text.
  const tint = { good: unpainted, bad: yellow, plain: unpainted }
  const sign = { good: green('✓'), bad: yellow('×'), plain: dim('·') }
  let steps = 0
  return {
    async step(title) {
      signal.throwIfAborted()
      if (terminal.interactive && steps > 0) await wait(READ_MS, undefined, { signal })
      steps += 1
      terminal.out(`\n${dim(String(steps).padStart(3))}  ${bold(title)}`)
    },
    fact(mark, text) {
      const [first = '', ...rest] = wrap(text, WIDTH - 7)
      terminal.out(`     ${sign[mark]} ${first}`)
      for (const line of rest) terminal.out(`       ${line}`)
    },
    act(who, what, how, mark = 'plain') {
      const head = `     ${sign[mark]} ${dim(who.padEnd(5))} ${what.padEnd(19)} `
      const [first = '', ...rest] = wrap(how, WIDTH - 33)
      terminal.out(`${head}${tint[mark](first)}`.trimEnd())
      for (const line of rest) terminal.out(`${' '.repeat(33)}${tint[mark](line)}`)
    },
    quote(text) {
      for (const line of text.split('\n')) terminal.out(`       ${dim(line)}`)
    },
    status: (text) => terminal.status(`     ${dim(`… ${text}`)}`),
    record: () => {},
  }
}

const WIDTH = 80
