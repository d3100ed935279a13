/** One job: why it is in its state and what can be done, its facts, its attempts and the last error. */
import { factsOf } from '../jobs/show.js'
import { readable, stateAndStatus } from '../terminal/format.js'
import { BLANK, type Line, line, piece } from './line.js'
import { factLines, heading } from './overview.js'
import type { TopJob } from './snapshot.js'
import { tableOf } from './table.js'
import { attemptColumns, styleOfState } from './tables.js'
import { safeText, wrapped } from './text.js'

/** `jobs show` has the others. */
const ATTEMPTS_SHOWN = 20
const STACK_LINES = 12

export function jobLines(found: TopJob, part: 'all' | 'explain', now: Date, width: number): Line[] {
  const { job, attempts } = found
  const title = line(
    piece(`Job ${job.id}  `, 'bold'),
    piece(stateAndStatus(job), styleOfState(job.state)),
    piece(`  ${job.kind} in ${job.queue}`, 'dim'),
  )
  const why = [title, BLANK, ...whyLines(found, width)]
  if (part === 'explain') return why
  const facts = factsOf(job, { columns: width }).filter(([label]) => label !== 'queue' && label !== 'kind')
  return [
    ...why,
    BLANK,
    heading('Job'),
    ...factLines(facts, width),
    ...(attempts.length === 0 ? [] : attemptLines(found, now, width)),
  ]
}

function whyLines({ job, reasons, allowed }: TopJob, width: number): Line[] {
  const sentences = reasons.flatMap(({ blocking, sentence }) =>
    wrapped(safeText(readable(sentence)), width - 4).map((text, n) => {
      const sign = n > 0 ? '    ' : blocking ? '  × ' : '  · '
      return line(piece(sign, blocking ? 'yellow' : 'dim'), piece(text))
    }),
  )
  const free = line(
    piece('  ✓ ', 'green'),
    piece(`Nothing blocks it: a worker of ${job.queue} will claim it.`),
  )
  return [
    heading('Why'),
    ...sentences,
    ...(reasons.some(({ blocking }) => blocking) ? [] : [free]),
    line(piece('  you can  ', 'dim'), piece(allowed.length > 0 ? allowed.join(', ') : 'nothing but read it')),
  ]
}

function attemptLines({ attempts }: TopJob, now: Date, width: number): Line[] {
  const latest = attempts.slice(-ATTEMPTS_SHOWN).reverse()
  const table = tableOf(latest, [], attemptColumns(now), { width, selected: 'none' })
  const stack = latest.find(({ errorStack, errorMessage }) => (errorStack ?? errorMessage) !== null)
  const thrown = (stack?.errorStack ?? stack?.errorMessage ?? '').trimEnd()
  return [
    BLANK,
    table.title,
    ...table.lines.map(({ pieces }) => ({ pieces })),
    ...(stack === undefined ? [] : [BLANK, heading('Error', `of attempt ${stack.attempt}`)]),
    ...thrown
      .split('\n')
      .filter((text) => text !== '')
      .slice(0, STACK_LINES)
      .flatMap((text) => wrapped(safeText(text), width - 2).map((each) => line(`  ${each}`))),
  ]
}
