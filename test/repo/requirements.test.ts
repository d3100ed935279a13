import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const file = (path: string) => new URL(`../../${path}`, import.meta.url)

it('docs/requirements.md names the tests that there are', async () => {
  const { requirementsPage } = await import(/* @vite-ignore */ file('scripts/generate-requirements.js').href)
  expect(readFileSync(file('docs/requirements.md'), 'utf8'), 'to renew it: npm run generate').toBe(
    requirementsPage(),
  )
})

it('the rows have ids without a gap, each with a sentence of its own', () => {
  const sections: { rows: { id: string; behaviour: string }[] }[] = JSON.parse(
    readFileSync(file('scripts/requirements.json'), 'utf8'),
  )
  const due = [12, 22, 10, 12, 8].flatMap((count, document) =>
    Array.from({ length: count }, (_, n) => `S${document}.${String(n + 1).padStart(2, '0')}`),
  )
  const rows = sections.flatMap((section) => section.rows)
  expect(rows.map(({ id }) => id)).toEqual(due)
  expect(rows.filter(({ behaviour }) => !/^[A-Z].{20,}\.$/.test(behaviour))).toEqual([])
  expect(new Set(rows.map(({ behaviour }) => behaviour)).size).toBe(rows.length)
})
