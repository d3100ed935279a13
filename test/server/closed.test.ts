// Once a key was made, a server on loopback asks for one, whatever became of that key.
import { expect, it } from 'vitest'
import { expectProblem, pinnedServer } from './world.js'

const DAY_MS = 86_400_000
const list = '/api/v1/jobs'

it.each(['revoked', 'expired'] as const)(
  '6.15 once closed, always closed: a server on loopback stays closed when its last key was %s and forgotten',
  async (how) => {
    const { call, store } = await pinnedServer()
    expect((await call('GET', list)).status).toBe(200)
    const expiresAt = new Date((await store.clock.now()).getTime() + 1_000)
    const { id } = await store.keys.create({
      name: 'only',
      scopes: ['admin'],
      ...(how === 'expired' ? { expiresAt } : {}),
    })
    const closed = await store.keys.keysRequiredSince()
    expect(closed).toEqual(await store.clock.now())
    expectProblem(await call('GET', list), 401, 'unauthorized')
    if (how === 'revoked') await store.keys.revoke(id)
    await store.clock.advance(2_000)
    expectProblem(await call('GET', list), 401, 'unauthorized')
    await store.clock.advance(91 * DAY_MS)
    await store.upkeep.expireKeys()
    expect(await store.keys.list()).toEqual([])
    expectProblem(await call('GET', list), 401, 'unauthorized')
    expectProblem(await call('POST', list, { body: { queue: 'q', kind: 'k' } }), 401, 'unauthorized')
    // Another key opens it again, and does not move the mark.
    const { secret } = await store.keys.create({ name: 'next', scopes: ['admin'] })
    const keys = await call('GET', '/api/v1/keys', { key: secret })
    expect(keys.body).toMatchObject({ keys: [{ name: 'next' }], keys_required_since: closed?.toISOString() })
  },
)

it('6.15 a key that was refused or rolled back closes nothing', async () => {
  const { call, store } = await pinnedServer()
  await expect(
    store.keys.create({ name: 'late', scopes: ['read'], expiresAt: new Date(0) }),
  ).rejects.toThrow()
  expect(await store.keys.keysRequiredSince()).toBeUndefined()
  expect((await call('GET', list)).status).toBe(200)
  expect((await call('GET', '/api/v1/keys')).body).toMatchObject({ keys: [], keys_required_since: null })
})
