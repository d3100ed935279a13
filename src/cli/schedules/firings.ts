/** `holdfast schedules history` and `explain`. */
import type { Firing } from '../../store/schedule-reads.js'
import type { Store } from '../../store/store.js'
import type { Context } from '../program.js'
import { printTable, WIDTH, wrap } from '../table.js'
import { many, moment } from '../words.js'
import type { Flags } from './look.js'

export async function history(
  store: Store,
  name: string,
  { tenant, json, count = 20 }: Flags & { readonly count?: number },
  { terminal }: Context,
): Promise<void> {
  const firings = await store.schedules.history(name, { tenant, limit: count })
  if (json) return terminal.out(JSON.stringify({ firings }))
  if (firings.length === 0) return terminal.out(`${name} has not fired yet.`)
  const { yellow, dim } = terminal.paint
  printTable<Firing>(terminal, firings, [
    { title: 'slot', of: ({ slot }) => moment(slot) as string },
    { title: 'slots', of: ({ slots }) => (slots === 1 ? '' : String(slots ?? 'many')), right: true },
    {
      title: 'came of it',
      of: ({ outcome }) => outcome,
      paint: (text, { outcome }) => (['missed', 'skipped'].includes(outcome) ? yellow(text) : text),
    },
    { title: 'job', of: ({ jobId }) => (jobId === null ? '' : String(jobId)), right: true },
    { title: '', of: ({ note, actor }) => [actor, note].filter(Boolean).join(': '), gives: true, paint: dim },
  ])
}

export async function explain(
  store: Store,
  name: string,
  flags: Flags,
  { terminal }: Context,
): Promise<void> {
  const reasons = await store.schedules.explain(name, { tenant: flags.tenant })
  if (flags.json) return terminal.out(JSON.stringify({ schedule: name, reasons }))
  const { bold, dim, yellow } = terminal.paint
  terminal.out(`${bold(name)}  ${dim(many(reasons.length, 'reason'))}`)
  for (const { blocking, sentence } of reasons) {
    const [first = '', ...rest] = wrap(sentence, WIDTH - 2)
    terminal.out(`${blocking ? yellow('×') : dim('·')} ${first}`)
    for (const line of rest) terminal.out(`  ${line}`)
  }
}
