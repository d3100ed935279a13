/** What the demo shows: numbered steps for a person, or one JSON object per step for a program. Never wider than 80 columns. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Terminal } from '../terminal.js'

/** Time to read a step before the next one begins, where somebody is watching. */
const READ_MS = 550

export type Mark = 'good' | 'bad' | 'plain'

export interface Stage {
  /** Begins a numbered step. */
  step(title: string): Promise<void>
  /** A fact that is true now. */
  fact(mark: Mark, text: string): void
  /** Who did what, and how it went. */
  act(who: string, what: string, how: string, mark?: Mark): void
  /** Text as it is, set in. */
  quote(text: string): void
  /** A wait, shown while it lasts. */
  passing(text: string): void
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
    passing: nothing,
    record: (step, facts) => terminal.out(JSON.stringify({ step, ...facts })),
  }
}

function screenStage(terminal: Terminal, signal: AbortSignal): Stage {
  const { bold, dim, green, yellow } = terminal.paint
  const asItIs = (text: string) => text
  // Only what went wrong has coloured words; a screen full of green says nothing.
  const tint = { good: asItIs, bad: yellow, plain: asItIs }
  const sign = { good: green('✓'), bad: yellow('×'), plain: dim('·') }
  let steps = 0
  return {
    async step(title) {
      signal.throwIfAborted()
      if (terminal.watched && steps > 0) await wait(READ_MS, undefined, { signal })
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
    passing: (text) => terminal.passing(`     ${dim(`… ${text}`)}`),
    record: () => {},
  }
}

const WIDTH = 80

/** Breaks at spaces; a word longer than a line keeps its line to itself, so that a path can still be copied. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
