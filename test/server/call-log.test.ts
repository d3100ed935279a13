// How rows of the audit log come into the database.
import { expect, it, vi } from 'vitest'
import { CallLog } from '../../src/server/access/call-log.js'
import { auditedCall } from '../support/audited-call.js'
import { freshStore } from '../support/world.js'
import { freshServer } from './world.js'

it('calls nobody waits for gather, and come to the database by themselves: in one statement, in their order', async () => {
  const store = await freshStore()
  const log = new CallLog(store, (_count, error) => expect.unreachable(String(error)))
  const names = Array.from({ length: 300 }, (_, n) => `call-${n}`)
  for (const name of names) log.addLater(auditedCall(name))
  const rows = () =>
    store.database.query<{ name: string; statement: string }>(
      'select request_id as name, xmin::text as statement from holdfast.audit order by id',
    )
  await vi.waitUntil(async () => (await rows()).length === names.length, { timeout: 100_000 })
  expect((await rows()).map(({ name }) => name)).toEqual(names)
  expect(new Set((await rows()).map(({ statement }) => statement)).size).toBe(1)
})

it('a flush leaves nothing behind, however many there are', async () => {
  const store = await freshStore()
  const log = new CallLog(store, (_count, error) => expect.unreachable(String(error)))
  for (let n = 0; n < 1_200; n += 1) log.addLater(auditedCall(`call-${n}`))
  await log.flush()
  const [row] = await store.database.query<{ n: number }>('select count(*)::int as n from holdfast.audit')
  expect(row?.n).toBe(1_200)
})

it('a command is answered when its call is kept, together with those that came before it', async () => {
  const { call: ask, store } = await freshServer()
  await ask('POST', '/api/v1/jobs', { body: { queue: 'q', kind: 'k' } })
  await ask('POST', '/api/v1/queues/q/pause', { body: { reason: 'because' } })
  const rows = await store.audit.list()
  expect(rows.map(({ operation }) => operation)).toEqual(['pauseQueue', 'createJob'])
})
