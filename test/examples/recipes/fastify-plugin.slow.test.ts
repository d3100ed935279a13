// The recipe fastify-plugin: jobs from a route, the dashboard with its API, and SIGTERM while a stream is open.
import { expect, it } from 'vitest'
import { recipeDatabase, startRecipe } from './recipe.js'

it('enqueues from a route, runs the job, and serves the dashboard and its API read-only', async () => {
  const database = await recipeDatabase()
  const recipe = startRecipe('fastify-plugin', database, [], { PORT: '0' })
  const [url] = await recipe.shows(/^http:\/\/\S+$/)
  const ordered = await fetch(`${url}/orders/kettle`, { method: 'POST' })
  expect(ordered.status).toBe(202)
  const { job } = (await ordered.json()) as { job: number }
  await recipe.shows(/^kettle shipped$/)

  const page = await fetch(`${url}/ops/jobs/`, { headers: { accept: 'text/html' } })
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<base href="/ops/jobs/">')])
  const read = await fetch(`${url}/ops/jobs/api/v1/jobs/${job}`)
  expect(await read.json()).toMatchObject({ id: job, kind: 'ship', queue: 'orders' })
  const refused = await fetch(`${url}/ops/jobs/api/v1/jobs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-csrf-token': 'same-site' },
    body: JSON.stringify({ queue: 'orders', kind: 'ship' }),
  })
  expect(await refused.json()).toMatchObject({ code: 'read_only' })

  const stream = await fetch(`${url}/ops/jobs/api/v1/events`)
  expect(stream.status).toBe(200)
  recipe.child.kill('SIGTERM')
  expect(await recipe.ended).toBe(0)
  expect(recipe.lines.at(-1)).toBe('stopped')
  expect(await stream.text()).toContain('"reason":"stopping"')
  expect(await database.store.read.job(job)).toMatchObject({ state: 'succeeded' })
})
