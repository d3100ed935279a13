/** Looking at schedules: list, show, preview, history, explain. */
import type { Command } from 'commander'
import type { Store } from '../../store/store.js'
import { withStore } from '../connect.js'
import { type DatabaseFlags, eitherCommand, type TenantFlag, wholeNumber, withTenant } from '../flags.js'
import type { Context } from '../program.js'
import { explain, history } from './firings.js'
import { previewCommand } from './preview.js'
import { listAll, show } from './show.js'

export type Flags = DatabaseFlags & TenantFlag
type Look = (store: Store, name: string, flags: Flags & { readonly count?: number }) => Promise<void>

export function lookCommands(context: Context): Command[] {
  const named = (verb: string, does: string, look: Look) =>
    withTenant(eitherCommand(verb, does, `holdfast schedules ${verb} nightly`))
      .argument('<name>', 'the schedule')
      .action((name: string, flags: Flags) =>
        withStore(flags, context, ({ store }) => look(store, name, flags)),
      )
  const list = withTenant(
    eitherCommand('list', 'schedules and when they fire next', 'holdfast schedules list'),
  )
  return [
    list.action((flags: Flags) => withStore(flags, context, ({ store }) => listAll(store, flags, context))),
    named('show', 'all there is to know of one', (store, name, flags) => show(store, name, flags, context)),
    previewCommand(context),
    named('history', 'what came of its slots', (store, name, flags) =>
      history(store, name, flags, context),
    ).option('--count <n>', 'how many, the latest first', wholeNumber(1, 500), 20),
    named('explain', 'why it has not fired, or when it will', (store, name, flags) =>
      explain(store, name, flags, context),
    ),
  ]
}
