import { expect, it } from 'vitest'
import { freshServer } from './world.js'

it('who acts for every tenant is told what is wrong with the database; others are not', async () => {
  const { call, key, store } = await freshServer()
  await store.database.script('drop index holdfast.held_parked')
  const { status, body } = await call('GET', '/api/v1/doctor', { key: await key(['admin'], '*') })
  expect(status).toBe(200)
  expect(body.healthy).toBe(false)
  expect(body.findings).toContainEqual(
    expect.objectContaining({ code: 'index_missing', severity: 'problem', data: { index: 'held_parked' } }),
  )
  expect(body.checks).toContainEqual({ name: 'schema', result: 'found' })
  expect((await call('GET', '/api/v1/doctor', { key: await key(['admin']) })).status).toBe(403)
})
