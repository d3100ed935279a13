// The verbs of bulk operations and saved views, pointed at what belongs to another tenant.
import type { Case } from './verb-cases.js'

const onBulk = (call: string, hears: unknown): Case => ({ call, values: ({ bulk }) => [bulk], hears })
const onView = (call: string): Case => ({
  call: `select ${call} as answer`,
  values: ({ view }) => [view],
  hears: 'unknown_view',
})

// In this order each of them finds something to do when the tenant itself calls it.
export const BULK_CASES: Record<string, Case> = {
  start_bulk: {
    call: `select id as answer from holdfast.start_bulk('bolt', 'retry', 'state:failed')`,
    hears: 'tenant_denied',
  },
  apply_bulk: onBulk(
    `select applied as answer from holdfast.apply_bulk($1, 'own', 1, array[1, 2, 3]::bigint[], 'more')`,
    false,
  ),
  release_bulk: onBulk(`select holdfast.release_bulk($1, 'own') as answer`, false),
  take_bulk: {
    call: `select count(*)::int as answer from holdfast.take_bulk('other')`,
    hears: 0,
    blind: 'tenant_denied',
  },
  abort_bulk: onBulk('select holdfast.abort_bulk($1) as answer', 'unknown_bulk'),
  count_states: {
    call: 'select count(*)::int as answer from holdfast.count_states(array[$1::bigint])',
    values: ({ jobs }) => [jobs.queued],
    hears: 0,
  },
  save_view: {
    call: `select holdfast.save_view('bolt', 'other', '', null, null, 200) as answer`,
    hears: 'tenant_denied',
  },
  change_view: onView(`holdfast.change_view($1, '{"q": "state:queued"}')`),
  remove_view: onView('holdfast.remove_view($1)'),
}
