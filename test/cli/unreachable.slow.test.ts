// `migrate up` waits half a minute for a database that is just starting.
import { expect, it } from 'vitest'
import { holdfast } from './run-holdfast.js'

it('exits 69 with a remedy, and shows no password, when the database cannot be reached', async () => {
  const url = 'postgres://me:hunter2@127.0.0.1:1/db'
  const [plain, json] = await Promise.all([
    holdfast(['migrate', 'up', '--url', url]),
    holdfast(['migrate', 'up', '--json'], { env: { DATABASE_URL: url } }),
  ])
  expect(plain).toMatchObject({ code: 69, stdout: '' })
  expect(plain.stderr).toContain('DATABASE_URL')
  expect(json.code).toBe(69)
  expect(JSON.parse(json.stderr)).toMatchObject({ code: 'unavailable', remedy: expect.any(String) })
  expect(plain.stderr + json.stderr).not.toContain('hunter2')
})
