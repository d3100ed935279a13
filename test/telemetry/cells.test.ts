import { Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import { CellCounter, CellHistogram } from '../../src/telemetry/cells.js'
import type { Family } from '../../src/telemetry/family.js'
import { LABEL_CHARS_MAX, LABEL_VALUES_MAX, SERIES_MAX } from '../../src/telemetry/label-values.js'
import { SERVER_FAMILIES } from '../../src/telemetry/server-families.js'
import { statementOf } from '../../src/telemetry/statement.js'
import { WORKER_FAMILIES } from '../../src/telemetry/worker-families.js'
import { readExposition } from '../support/exposition.js'

const counter: Family = {
  name: 'c_total',
  type: 'counter',
  help: 'c',
  labels: ['a', 'b'],
  origin: 'holdfast',
}
const histogram: Family = {
  name: 'h_seconds',
  type: 'histogram',
  help: 'h',
  labels: ['a'],
  buckets: [1, 2],
  origin: 'holdfast',
}

describe('labels', () => {
  it.each([
    [LABEL_VALUES_MAX - 1, 0],
    [LABEL_VALUES_MAX, 0],
    [LABEL_VALUES_MAX + 1, 1],
  ])('%i values of one label put %i of them together as other', async (count, others) => {
    const registry = new Registry()
    const metric = new CellCounter(counter, registry)
    for (let n = 0; n < count; n += 1) metric.cell(`value-${n}`, 'same').add()
    const samples = readExposition(await registry.metrics()).get('c_total')?.samples ?? []
    expect(samples.reduce((sum, { value }) => sum + value, 0)).toBe(count)
    expect(samples.filter(({ labels }) => labels.a === 'other').map(({ value }) => value)).toEqual(
      others === 0 ? [] : [others],
    )
  })

  it.each([
    [SERIES_MAX - 1, SERIES_MAX - 1, 0],
    [SERIES_MAX, SERIES_MAX, 0],
    [SERIES_MAX + 1, SERIES_MAX + 1, 1],
    [SERIES_MAX + 7, SERIES_MAX + 1, 7],
  ])(
    '%i series of a family are told as %i, one of which has the %i that came too late',
    async (count, told, late) => {
      const registry = new Registry()
      const metric = new CellCounter(counter, registry)
      for (let n = 0; n < count; n += 1) metric.cell(`a-${n % 50}`, `b-${Math.floor(n / 50)}`).add()
      const samples = readExposition(await registry.metrics()).get('c_total')?.samples ?? []
      expect(samples).toHaveLength(told)
      const others = samples.filter(({ labels }) => labels.a === 'other' && labels.b === 'other')
      expect(others.map(({ value }) => value)).toEqual(late === 0 ? [] : [late])
    },
  )

  it.each([
    [LABEL_CHARS_MAX - 1, LABEL_CHARS_MAX - 1],
    [LABEL_CHARS_MAX, LABEL_CHARS_MAX],
    [LABEL_CHARS_MAX + 1, LABEL_CHARS_MAX],
  ])('a value of %i characters is told with %i', async (length, kept) => {
    const registry = new Registry()
    new CellCounter(counter, registry).cell('x'.repeat(length), 'b').add()
    const [sample] = readExposition(await registry.metrics()).get('c_total')?.samples ?? []
    expect(sample?.labels.a).toHaveLength(kept)
  })
})

it('a histogram tells how many were at most each bound, all of them, and their sum', async () => {
  const registry = new Registry()
  const cell = new CellHistogram(histogram, registry).cell('x')
  for (const value of [0.5, 1, 1.5, 2, 99]) cell.observe(value)
  expect(await registry.metrics()).toBe(
    `# HELP h_seconds h
# TYPE h_seconds histogram
h_seconds_bucket{le="1",a="x"} 2
h_seconds_bucket{le="2",a="x"} 4
h_seconds_bucket{le="+Inf",a="x"} 5
h_seconds_sum{a="x"} 104
h_seconds_count{a="x"} 5
`,
  )
})

it.each([
  ['select job_id from holdfast.enqueue_many($1, $2)', 'call', 'enqueue_many'],
  ['select holdfast.depth($1::int[], $2) as n', 'call', 'depth'],
  ['select * from holdfast.queues where tenant = $1', 'select', 'queues'],
  ['select a, holdfast.now() from holdfast.jobs j', 'select', 'jobs'],
  ['with x as (select from holdfast.jobs) select 1', 'with', 'jobs'],
  ['select 1', 'select', 'none'],
  ['vacuum', 'other', 'none'],
])('%s is a %s of %s', (text, operation, table) => {
  expect(statementOf(text)).toEqual({ operation, table })
})

it('names follow the rules of Prometheus: base units, counters end in _total, our own begin with holdfast_', () => {
  for (const family of [...Object.values(SERVER_FAMILIES), ...Object.values(WORKER_FAMILIES)]) {
    expect(family.name).toMatch(/^[a-z][a-z0-9_]*$/)
    expect(family.name.endsWith('_total')).toBe(family.type === 'counter')
    expect(family.type === 'histogram').toBe(family.buckets !== undefined)
    if (family.origin === 'holdfast') {
      expect(family.name).toMatch(/^holdfast_/)
      expect(family.name).not.toMatch(/milliseconds|minutes|kilobytes/)
      expect(family.labels).not.toContain('job_id')
    }
  }
})
