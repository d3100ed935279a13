// Every role that may connect can take advisory locks. Nothing that is done by one at a time may wait for them.
import { expect, it } from 'vitest'
import { login, sealedStore } from '../../support/roles/sealed.js'

const TABLES = ['api_key', 'webhook', 'setting', 'chore', 'partition']

it('6.15 no advisory lock of a reader blocks create_key, partitions or anything else that is done by one at a time', async () => {
  const store = await sealedStore()
  const reader = await login(store, 'reader', ['acme'])
  const first = await store.keys.create({ name: 'first', scopes: ['read'] })
  await store.enqueue({ queue: 'q', kind: 'k' })
  await reader.database.transaction(async (session) => {
    for (const table of TABLES)
      for (const space of [0, 1, 2, 3])
        await session.query(
          'select pg_advisory_xact_lock($1, c.oid::int) from pg_class c where c.oid = $2::regclass',
          [space, `${store.schema}.${table}`],
        )
    const { id } = await store.keys.create({ name: 'second', scopes: ['read'] })
    expect((await store.keys.rotate(first.id)).id).toBeGreaterThan(id)
    await store.settings.set('PARTITION_JOBS', 1_000)
    expect(await store.upkeep.makePartitions(8)).toBeGreaterThan(0)
    expect(await store.upkeep.countMinutes()).toBeGreaterThan(0)
    expect(
      await store.webhooks.add({ name: 'w', url: 'https://example.com/', secret: `whsec_${'A'.repeat(32)}` }),
    ).toBeGreaterThan(0)
    await store.upkeep.prune()
  })
})

it('6.15 no verb takes an advisory lock, and no role can hold a row of the table they take instead', async () => {
  const store = await sealedStore()
  const functions = await store.database.query<{ name: string }>(
    `select p.proname as name from pg_proc p where p.pronamespace = $1::regnamespace and p.prosrc ~* 'advisory'`,
    [store.schema],
  )
  expect(functions).toEqual([])
  for (const role of ['producer', 'worker', 'operator', 'reader', 'server'] as const) {
    const user = await login(store, role, ['acme'])
    for (const text of [
      'select from holdfast.turn for update',
      'lock table holdfast.turn in share mode',
      'select from holdfast.closed',
      'delete from holdfast.closed',
    ])
      await expect(
        user.database.transaction((session) => session.query(text)),
        `${role}: ${text}`,
      ).rejects.toMatchObject({ code: 'forbidden' })
  }
})
