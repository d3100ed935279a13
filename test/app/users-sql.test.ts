/** SQL of users in a schema with another name than `holdfast`: it reaches the database as they wrote it. */
import { defineJob } from 'holdfast'
import { openStore } from 'holdfast/store'
import { expect, it, onTestFinished } from 'vitest'
import { freshApp } from '../support/app.js'
import { freshStore, postgresUrl } from '../support/world.js'

const TEXT = `select 'https://holdfast.dev' as address, $1::text as value`

it('7. SQL of a user in ctx.commit is sent as it is written', async () => {
  const visit = defineJob({
    kind: 'visit',
    handler: (ctx) => ctx.commit((tx) => tx.query(TEXT, ['of a handler'])),
  })
  const app = await freshApp({ jobs: [visit] })
  expect(app.store.schema).not.toBe('holdfast')
  await app.work()
  const handle = await app.enqueue(visit, null)
  expect(await handle.result()).toEqual([{ address: 'https://holdfast.dev', value: 'of a handler' }])
})

it('7. SQL of a user in store.database is sent as it is written', async () => {
  const { schema } = await freshStore()
  const store = await openStore({ url: postgresUrl(), schema, connections: 1 })
  onTestFinished(() => store.close())
  const expected = [{ address: 'https://holdfast.dev', value: 'of a program' }]
  expect(await store.database.query(TEXT, ['of a program'])).toEqual(expected)
  expect(await store.database.transaction((tx) => tx.query(TEXT, ['of a program']))).toEqual(expected)
})
