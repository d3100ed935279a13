// What a server remembers of keys and tenants: asked for once by however many come, and never older than what was changed here.
import { expect, it, vi } from 'vitest'
import { expectProblem, freshServer } from './world.js'

const JOB = { queue: 'q', kind: 'k' }
const limits = { keyCacheMs: 600_000 }

/** A question whose answer, once it is there, stays on its way until it is let go. */
function onItsWay<Asked, Found>(ask: (asked: Asked) => Promise<Found>) {
  let letGo = () => {}
  let isThere = () => {}
  const gone = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const there = new Promise<void>((resolve) => {
    isThere = resolve
  })
  const asking = async (asked: Asked) => {
    const found = await ask(asked)
    isThere()
    await gone
    return found
  }
  return { asking, there, letGo }
}

it('calls that come together ask for their key and their tenant once', async () => {
  const { call, key, store } = await freshServer({ limits })
  const producer = await key(['enqueue'])
  const authenticate = vi.spyOn(store.keys, 'authenticate')
  const tenant = vi.spyOn(store.tenants, 'get')
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => call('POST', '/api/v1/jobs', { key: producer, body: JOB })),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
  expect(authenticate).toHaveBeenCalledTimes(1)
  expect(tenant).toHaveBeenCalledTimes(1)
})

it('a key that is revoked while somebody asks for it opens nothing afterwards', async () => {
  const { call, key, store } = await freshServer({ limits })
  const admin = await key(['admin'])
  const { id, secret } = await store.keys.create({ name: 'leaving', scopes: ['enqueue'] })
  const make = () => call('POST', '/api/v1/jobs', { key: secret, body: JOB })
  expect((await call('GET', '/api/v1/jobs', { key: admin })).status).toBe(200)
  const question = onItsWay(store.keys.authenticate.bind(store.keys))
  vi.spyOn(store.keys, 'authenticate').mockImplementationOnce(question.asking)
  const early = make()
  await question.there
  expect((await call('DELETE', `/api/v1/keys/${id}`, { key: admin })).status).toBeLessThan(300)
  question.letGo()
  expect((await early).status).toBe(201)
  expectProblem(await make(), 401, 'unauthorized')
})

it('a limit that is set while somebody asks for the tenant holds for the next call', async () => {
  const { call, key, store } = await freshServer({ limits })
  const admin = await key(['admin'], '*')
  const make = () => call('POST', '/api/v1/jobs', { key: admin, body: JOB })
  const question = onItsWay(store.tenants.get.bind(store.tenants))
  vi.spyOn(store.tenants, 'get').mockImplementationOnce(question.asking)
  const early = make()
  await question.there
  const body = { max_live_jobs: 1 }
  expect((await call('PATCH', '/api/v1/tenants/default', { key: admin, body })).status).toBe(200)
  question.letGo()
  expect((await early).status).toBe(201)
  expectProblem(await make(), 429, 'limit_exceeded')
})
