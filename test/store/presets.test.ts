// The policy table of the design, as it stands there. The engine and the library each hold a copy; this one is the judge.
import { PRESETS, STATES, stateWord } from 'holdfast/store'
import { expect, it } from 'vitest'
import { resolvePolicy } from '../../src/domain/settings.js'
import { freshStore, onEachDriver } from '../support/world.js'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const EITHER_WAY = [-0.2, 0.2]
const ONLY_LATER = [0, 0.2]
const NONE = [0, 0]

const NAMES = ['harvest', 'crawl', 'pipeline', 'target', 'catalog', 'default'] as const

// One row for each policy, one column for each preset in the order above. `on_cancel` of pipeline reads "by job": the queue is
// strict, so a cancel never reaches this policy.
const TABLE: Record<string, readonly unknown[]> = {
  order: ['fifo', 'priority', 'fifo', 'fifo', 'global_fifo', 'priority'],
  max_retries: [4, 3, 3, 0, 3, 4],
  retry_base_ms: [30 * SECOND, 60 * SECOND, 30 * SECOND, 0, 1 * SECOND, 5 * SECOND],
  retry_factor: [2, 2, 2, 2, 2, 2],
  retry_cap_ms: [1 * HOUR, 24 * HOUR, 1 * HOUR, 0, 60 * SECOND, 1 * HOUR],
  jitter: [ONLY_LATER, EITHER_WAY, EITHER_WAY, NONE, EITHER_WAY, EITHER_WAY],
  lease_ms: [60 * SECOND, 15 * MINUTE, 10 * MINUTE, 10 * SECOND, 30 * SECOND, 30 * SECOND],
  renewed_by: ['report', 'report', 'nothing', 'heartbeat', 'heartbeat', 'heartbeat'],
  heartbeat_ms: [null, null, null, 2 * SECOND, 10 * SECOND, 10 * SECOND],
  on_lease_lost: ['count', 'retry', 'retry', 'error', 'retry', 'retry'],
  crash_budget: [null, 3, 3, 3, 3, 3],
  on_cancel: ['cancel', 'cancel', 'cancel', 'pause', 'cancel', 'cancel'],
  on_shutdown: ['release', 'release', 'release', 'pause', 'release', 'release'],
  serialize_targets: [false, false, false, true, false, true],
  on_error: ['continue', 'continue', 'continue', 'block', 'continue', 'continue'],
  dedup: Array(6).fill('return_existing'),
  dedup_by: ['key', 'subject', 'key', 'key', 'key', 'key'],
  strict: [false, false, true, false, false, false],
  timeout_ms: Array(6).fill(null),
  items_key: ['phone', null, null, null, null, null],
  external_trigger: Array(6).fill(null),
  max_running: Array(6).fill(null),
  max_running_per_target: Array(6).fill(1),
  rate_limit: Array(6).fill(null),
  rate_period_ms: Array(6).fill(1 * SECOND),
  rate_burst: Array(6).fill(null),
  rate_per_key: Array(6).fill(false),
  retention_ms: Array(6).fill(7 * 24 * HOUR),
  record_starts: [false, false, false, false, true, false],
  unknown_kinds: Array(6).fill('refuse'),
}

const DESIGN = Object.fromEntries(
  NAMES.map((name, column) => [
    name,
    Object.fromEntries(Object.entries(TABLE).map(([policy, values]) => [policy, values[column]])),
  ]),
)

onEachDriver('the policies of the presets', (driver) => {
  it('stand in a fresh schema as the design says', async () => {
    const store = await freshStore(driver)
    // What a preset leaves open is resolved as the engine does it: by the setting of that name.
    const rows = await store.database.query<Record<string, unknown>>(
      `select to_jsonb(p) - 'order_by' - 'jitter_low' - 'jitter_high' || jsonb_build_object(
         'order', p.order_by,
         'jitter', jsonb_build_array(p.jitter_low, p.jitter_high),
         'max_retries', coalesce(p.max_retries, holdfast.setting_number('MAX_ATTEMPTS_DEFAULT') - 1),
         'retry_base_ms', coalesce(p.retry_base_ms, holdfast.setting_number('BACKOFF_BASE_SEC') * 1000),
         'retry_cap_ms', coalesce(p.retry_cap_ms, holdfast.setting_number('BACKOFF_MAX_SEC') * 1000),
         'lease_ms', coalesce(p.lease_ms, holdfast.setting_number('LEASE_SEC_DEFAULT') * 1000)) as policy
       from holdfast.preset p`,
    )
    const found = rows.map(({ policy }) => {
      const { preset, ...rest } = policy as Record<string, unknown>
      return [preset, rest]
    })
    expect(Object.fromEntries(found)).toEqual(DESIGN)
  })

  it('are what a queue made from a preset has', async () => {
    const store = await freshStore(driver)
    for (const name of NAMES) {
      await store.queues.create(name, { preset: name })
      expect(await store.queues.get(name)).toMatchObject({ preset: name, ...PRESETS[name] })
    }
  })
})

it('the policies of the presets stand in the library as the design says', () => {
  const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  const found = Object.entries(PRESETS).map(([preset, policy]) => {
    const { jitterLow, jitterHigh, ...rest } = resolvePolicy(policy)
    const entries = Object.entries({ ...rest, jitter: [jitterLow, jitterHigh] })
    return [preset, Object.fromEntries(entries.map(([name, value]) => [snake(name), value]))]
  })
  expect(Object.fromEntries(found)).toEqual(DESIGN)
})

it('only harvest leaves values to the settings, and exactly the four that are settings', () => {
  const open = Object.entries(PRESETS).flatMap(([preset, policy]) =>
    (['maxRetries', 'retryBaseMs', 'retryCapMs', 'leaseMs'] as const)
      .filter((name) => policy[name] === null)
      .map((name) => `${preset} ${name}`),
  )
  expect(open).toEqual(['harvest maxRetries', 'harvest retryBaseMs', 'harvest retryCapMs', 'harvest leaseMs'])
})

it('the database has the same word for every state of every preset as the library', async () => {
  const { database } = await freshStore()
  const combinations = NAMES.flatMap((preset) =>
    STATES.flatMap((state) => [false, true].map((attempted) => ({ preset, state, attempted }))),
  )
  const words = await database.query<{ word: string }>(
    `select holdfast.state_word(c.preset, c.state::holdfast.state, c.attempted) as word
     from rows from (jsonb_to_recordset($1::text::jsonb) as (preset text, state text, attempted boolean)) with ordinality c (preset, state, attempted, n) order by c.n`,
    [JSON.stringify(combinations)],
  )
  expect(words.map(({ word }, n) => ({ ...combinations[n], word }))).toEqual(
    combinations.map((each) => ({ ...each, word: stateWord(each.preset, each.state, each) })),
  )
})
