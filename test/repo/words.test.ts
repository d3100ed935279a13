// The tables of the database check words that programs know as lists. Each list is said twice, and this is what holds the two together.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { SCOPES } from '../../src/contract/endpoint.js'
import { ALERT_EVENTS, ALERT_STATES, DELIVERY_STATES, TOLD_EVENTS } from '../../src/domain/alerts.js'
import { POLICY_WORDS } from '../../src/domain/policy.js'
import { CATCH_UPS, FIRING_OUTCOMES, OVERLAPS } from '../../src/domain/schedule/definition.js'

const folder = new URL('../../sql/migrations/', import.meta.url)

/** Every list of words that a column may have, as `table.column`. */
function listsInTables(): Record<string, string[]> {
  const found: Record<string, string[]> = {}
  for (const file of readdirSync(folder)) {
    let table = ''
    for (const line of readFileSync(new URL(file, folder), 'utf8').split('\n')) {
      table = /^create table holdfast\.(\w+)/.exec(line)?.[1] ?? table
      const [, column, words] = /check \(.*?(\w+) (?:in \(|<@ array\[)('[^)\]]*')/.exec(line) ?? []
      if (column !== undefined && words !== undefined)
        found[`${table}.${column}`] = words.split(', ').map((word) => word.slice(1, -1))
    }
  }
  return found
}

it('every word that a table allows is one that programs know, and the other way round', () => {
  expect(listsInTables()).toEqual({
    'preset.order_by': POLICY_WORDS.order,
    'preset.renewed_by': POLICY_WORDS.renewedBy,
    'preset.on_lease_lost': POLICY_WORDS.onLeaseLost,
    'preset.on_cancel': POLICY_WORDS.onCancel,
    'preset.on_shutdown': POLICY_WORDS.onShutdown,
    'preset.on_error': POLICY_WORDS.onError,
    'preset.dedup': POLICY_WORDS.dedup,
    'preset.dedup_by': POLICY_WORDS.dedupBy,
    'api_key.scopes': SCOPES,
    'schedule.catch_up': CATCH_UPS,
    'schedule.overlap': OVERLAPS,
    'firing.outcome': FIRING_OUTCOMES,
    'alert.state': ALERT_STATES,
    'alert_event.type': ALERT_EVENTS,
    'webhook_delivery.type': TOLD_EVENTS,
    'webhook_delivery.state': DELIVERY_STATES,
  })
})
