// The tables of the database check words that programs know as lists. Each list is said twice, and this is what holds the two together.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { SCOPES } from '../../src/contract/endpoint.js'
import { MOVE_ROLES } from '../../src/database/move/marks.js'
import {
  ALERT_EVENTS,
  ALERT_RULES,
  ALERT_STATES,
  DELIVERY_STATES,
  NOTIFIED_EVENTS,
} from '../../src/domain/alerts.js'
import { BULK_COMMANDS, BULK_STATES } from '../../src/domain/bulk.js'
import { POLICY_VALUES } from '../../src/domain/policy.js'
import { CATCH_UPS, FIRING_OUTCOMES, OVERLAPS } from '../../src/domain/schedule/definition.js'
import { ATTEMPT_OUTCOMES, placeOf, STATES } from '../../src/domain/states/states.js'

const sql = new URL('../../sql/', import.meta.url)
const folder = new URL('migrations/', sql)
const words = (list: string) => [...list.matchAll(/'(\w+)'/g)].map(([, word]) => word as string)

/** Every list of words that a column may have, as `table.column`. */
function listsInTables(): Record<string, string[]> {
  const found: Record<string, string[]> = {}
  for (const file of readdirSync(folder)) {
    let table = ''
    for (const line of readFileSync(new URL(file, folder), 'utf8').split('\n')) {
      table = /^create table holdfast\.(\w+)/.exec(line)?.[1] ?? table
      const [, column, list] = /check \(.*?(\w+) (?:in \(|<@ array\[)('[^)\]]*')/.exec(line) ?? []
      if (column !== undefined && list !== undefined) found[`${table}.${column}`] = words(list)
    }
  }
  return found
}

it('every word that a table allows is one that programs know, and the other way round', () => {
  expect(listsInTables()).toEqual({
    'preset.order_by': POLICY_VALUES.order,
    'preset.renewed_by': POLICY_VALUES.renewedBy,
    'preset.on_lease_lost': POLICY_VALUES.onLeaseLost,
    'preset.on_cancel': POLICY_VALUES.onCancel,
    'preset.on_shutdown': POLICY_VALUES.onShutdown,
    'preset.on_error': POLICY_VALUES.onError,
    'preset.dedup': POLICY_VALUES.dedup,
    'preset.dedup_by': POLICY_VALUES.dedupBy,
    'preset.unknown_kinds': POLICY_VALUES.unknownKinds,
    'api_key.scopes': SCOPES,
    'schedule.catch_up': CATCH_UPS,
    'schedule.overlap': OVERLAPS,
    'firing.outcome': FIRING_OUTCOMES,
    'alert.state': ALERT_STATES,
    'alert_event.type': ALERT_EVENTS,
    'webhook_delivery.type': NOTIFIED_EVENTS,
    'webhook_delivery.state': DELIVERY_STATES,
    'bulk_operation.command': BULK_COMMANDS,
    'bulk_operation.state': BULK_STATES,
    'move.role': MOVE_ROLES,
  })
})

it('the types of the database have the states and outcomes of the domain', () => {
  const text = readFileSync(new URL('0001_baseline.sql', folder), 'utf8')
  const types = [...text.matchAll(/^create type holdfast\.(\w+) as enum \(([^)]*)\)/gm)]
  expect(Object.fromEntries(types.map(([, name, list]) => [name, words(list ?? '').sort()]))).toEqual({
    held_state: STATES.filter((state) => placeOf(state) === 'held').sort(),
    delayed_state: STATES.filter((state) => placeOf(state) === 'delayed').sort(),
    outcome: [...ATTEMPT_OUTCOMES].sort(),
    state: [...STATES].sort(),
  })
})

it('each rule of the alerts has its threshold from the same setting in the database as in its words', () => {
  const text = readFileSync(new URL('functions/alerts/alert_defaults.sql', sql), 'utf8')
  const pairs = [...text.matchAll(/\('(\w+)', '(\w+)'\)/g)].map(([, rule, setting]) => [rule, setting])
  expect(pairs).toEqual(Object.entries(ALERT_RULES).map(([rule, { setting }]) => [rule, setting]))
})
