// The public surface of the package. A change of it shows in api/public.d.ts, which is written by `npm run generate`.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { publicApi } from '../../scripts/generate-api.js'

const api = readFileSync(new URL('../../api/public.d.ts', import.meta.url), 'utf8')

it('api/public.d.ts shows what the package exports', () => {
  expect(publicApi()).toBe(api)
})

it('the main entry has at most 30 names', () => {
  const [, count] = /^\/\/ holdfast: (\d+) names$/m.exec(api) ?? []
  expect(Number(count)).toBeGreaterThan(10)
  expect(Number(count)).toBeLessThanOrEqual(30)
})
