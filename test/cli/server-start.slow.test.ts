// How `holdfast server` starts: for whom it is open, and how much of its database it takes.
import { expect, it } from 'vitest'
import { start } from '../support/cli/long-running.js'
import { makeDatabase, open } from '../support/databases.js'
import { emptyFolder, holdfast } from './run-holdfast.js'

/** What a server may take of the connections of its database. */
const CONNECTIONS_MAX = 14
const ADMIN = 'an-admin-key-of-the-test'

async function database() {
  const url = await makeDatabase()
  expect((await holdfast(['migrate', 'up', '--url', url])).code).toBe(0)
  return { url, env: { DATABASE_URL: url } }
}

it('where others could reach it, it does not start without a key: 78, with the commands that help', async () => {
  const { env } = await database()
  const refused = await holdfast(['server', '--host', '0.0.0.0', '--json'], { env })
  expect(refused.code).toBe(78)
  const { code, remedy } = JSON.parse(refused.stderr)
  expect(code).toBe('no_key')
  for (const way of ['holdfast keys create', 'HOLDFAST_ADMIN_KEY', '--host 127.0.0.1'])
    expect(remedy).toContain(way)
  const made = await holdfast(['keys', 'create', 'root', '--scope', 'admin', '--every-tenant'], { env })
  expect(made.code).toBe(0)
  const server = start(['server', '--host', '0.0.0.0'], emptyFolder(), env)
  const { url } = await server.said(({ msg }) => msg === 'serving')
  expect((await fetch(`${url}/api/v1/jobs`)).status).toBe(401)
  const headers = { authorization: `Bearer ${made.stdout.trim()}` }
  expect((await fetch(`${url}/api/v1/jobs`, { headers })).status).toBe(200)
  server.child.kill('SIGTERM')
  expect((await server.end).code).toBe(0)
})

it(`takes at most ${CONNECTIONS_MAX} connections of its database, however many calls come at once`, async () => {
  const { url: databaseUrl, env } = await database()
  const server = start(['server'], emptyFolder(), { ...env, HOLDFAST_ADMIN_KEY: ADMIN })
  const { url } = await server.said(({ msg }) => msg === 'serving')
  const headers = { authorization: `Bearer ${ADMIN}`, 'content-type': 'application/json' }
  const stop = new AbortController()
  const stream = await fetch(`${url}/api/v1/events`, { headers, signal: stop.signal })
  const pulls = Array.from({ length: 5 }, (_, n) =>
    fetch(`${url}/api/pull_job?wait_sec=30&worker_id=w${n}`, { headers, signal: stop.signal }).catch(
      () => {},
    ),
  )
  const calls = Array.from({ length: 100 }, (_, n) =>
    n % 2 === 0
      ? fetch(`${url}/api/v1/jobs`, { method: 'POST', headers, body: '{"queue": "q", "kind": "k"}' })
      : fetch(`${url}/`, { headers }),
  )
  for (const answer of await Promise.all(calls)) expect(answer.ok).toBe(true)
  const [counted] = await open(databaseUrl, 1).query<{ n: number }>(
    'select count(*)::int as n from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
  expect(counted?.n).toBeGreaterThan(2)
  expect(counted?.n).toBeLessThanOrEqual(CONNECTIONS_MAX)
  stop.abort()
  await Promise.all([...pulls, stream.text().catch(() => {})])
  server.child.kill('SIGTERM')
  expect((await server.end).code).toBe(0)
})
