import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { Family } from '../../src/telemetry/family.js'
import { SERVER_FAMILIES } from '../../src/telemetry/server-families.js'
import { WORKER_FAMILIES } from '../../src/telemetry/worker-families.js'

const page = readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8')

const rowOf = ({ name, type, labels, buckets, help }: Family) => {
  const named = labels.map((label) => `\`${label}\``).join(' ') || '–'
  return `| \`${name}\` | ${type} | ${named} | ${buckets?.join(' ') ?? '–'} | ${help} |`
}

it.each([
  ['Server metrics', SERVER_FAMILIES],
  ['Worker metrics', WORKER_FAMILIES],
])('docs/metrics.md, %s, has the families that there are', (title, families) => {
  const [, section = ''] = page.split(`\n## ${title}\n`)
  const [tables = ''] = section.split('\n## ')
  const rows = tables.split('\n').filter((line) => line.startsWith('| `'))
  expect(rows).toEqual(Object.values<Family>(families).map(rowOf))
})
