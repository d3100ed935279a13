/** `holdfast schedules preview`: when a schedule fires, or an expression would. */
import type { Command } from 'commander'
import { withStore } from '../connect.js'
import { eitherCommand, usageError, wholeNumber, withTenant } from '../flags.js'
import type { Context } from '../program.js'
import { ago, moment } from '../words.js'
import type { Flags } from './look.js'

interface PreviewFlags extends Flags {
  readonly count: number
  readonly expression?: string
  readonly tz: string
}

export function previewCommand(context: Context): Command {
  return withTenant(
    eitherCommand(
      'preview',
      'the next slots of a schedule, or of an expression',
      'holdfast schedules preview nightly',
      'holdfast schedules preview --expression "0 9 * * MON-FRI" --tz Europe/Berlin',
    ),
  )
    .argument('[name]', 'the schedule')
    .option('--expression <text>', 'this instead of a schedule')
    .option('--tz <zone>', 'the time zone of the expression', 'UTC')
    .option('--count <n>', 'how many', wholeNumber(1, 1000), 10)
    .action((name: string | undefined, flags: PreviewFlags) => showSlots(name, flags, context))
}

async function showSlots(name: string | undefined, flags: PreviewFlags, context: Context): Promise<void> {
  const { expression, tz, count, tenant } = flags
  if ((name === undefined) === (expression === undefined))
    throw usageError(
      'There is nothing to preview, or there are two.',
      'Name a schedule, or give an --expression.',
    )
  await withStore(flags, context, async ({ store }) => {
    const slots =
      name === undefined
        ? await store.schedules.previewOf(expression as string, tz, count)
        : await store.schedules.preview(name, count, { tenant })
    if (flags.json) return context.terminal.out(JSON.stringify({ slots }))
    for (const slot of slots)
      context.terminal.out(`${moment(slot)}  ${context.terminal.paint.dim(ago(slot))}`)
  })
}
