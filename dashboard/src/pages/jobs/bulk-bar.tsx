/** What is selected and what can be done with it: the rows that are marked, or everything that matches. */
import { useState } from 'preact/hooks'
import { may } from '../../state/session.js'
import { Button } from '../../ui/button.jsx'
import { formatNumber } from '../../ui/format.js'
import { Menu } from '../../ui/menu.jsx'
import { BulkDialog } from './bulk.jsx'
import { BULK_VERBS, BULK_WORDS, type BulkVerb, commandSelected, fitting } from './commands.jsx'
import type { Found } from './found.js'
import { query } from './query.js'
import { allMatching, clearSelection, selected } from './selection.js'

/** So many have a button of their own. */
const BUTTONS = 2

export function BulkBar({ found }: { readonly found: Found }) {
  const [asked, setAsked] = useState<BulkVerb | null>(null)
  const rows = found.rows.value ?? []
  const all = allMatching.value
  const more = found.page.value !== undefined && found.page.value.next !== null
  const chosen = all ? rows : rows.filter(({ id }) => selected.value.has(id))
  if (chosen.length === 0) return null
  const run = async (verb: BulkVerb) => {
    if (all) return setAsked(verb)
    if (!(await commandSelected(chosen, verb))) return
    clearSelection()
    await found.reload()
  }
  // What fits most of them goes first.
  const fits = new Map(BULK_VERBS.map((verb) => [verb, fitting(chosen, verb)]))
  const verbs = BULK_VERBS.filter((verb) => all || fits.get(verb) !== 0).sort(
    (a, b) => (fits.get(b) ?? 0) - (fits.get(a) ?? 0),
  )
  const amount = all && more ? 'all' : formatNumber(chosen.length)
  const mayWiden = !all && more && chosen.length === rows.length && query.value !== ''
  return (
    <div class="bulk-bar" role="toolbar" aria-label="Selected jobs">
      <span class="grow">
        <b>
          {all
            ? `All${more ? '' : ` ${formatNumber(rows.length)}`} matching`
            : `${formatNumber(chosen.length)} selected`}
        </b>{' '}
        {all && <span class="soft">those that arrive while you decide are left out</span>}
        {mayWiden && (
          <button
            type="button"
            class="link"
            onClick={() => {
              allMatching.value = true
            }}
          >
            Select all matching
          </button>
        )}
      </span>
      {may('operate') &&
        verbs.slice(0, BUTTONS).map((verb, n) => (
          <Button
            key={verb}
            action={verb}
            look={BULK_WORDS[verb].danger ? 'danger' : n === 0 ? 'primary' : 'plain'}
            onClick={() => run(verb)}
          >
            {BULK_WORDS[verb].label}
            {n === 0 && ` ${amount}`}…
          </Button>
        ))}
      {may('operate') && verbs.length > BUTTONS && (
        <Menu
          label="More"
          items={verbs.slice(BUTTONS).map((verb) => ({
            label: `${BULK_WORDS[verb].label} ${amount}…`,
            danger: BULK_WORDS[verb].danger ?? false,
            run: () => run(verb),
          }))}
        />
      )}
      {may('operate') && verbs.length === 0 && <span class="soft">No command fits these jobs.</span>}
      <Button look="quiet" onClick={clearSelection}>
        Clear
      </Button>
      {asked !== null && (
        <BulkDialog
          q={query.value}
          verb={asked}
          close={() => setAsked(null)}
          done={() => {
            clearSelection()
            return found.reload()
          }}
        />
      )}
    </div>
  )
}
