/** What is sent often is prepared where a session is ours alone, and nobody notices where it is not, or is forgotten. */
import { openPostgres } from 'holdfast/store'
import { expect, inject, it, onTestFinished } from 'vitest'
import { open } from '../support/databases.js'

const PREPARED = "select count(*)::int as n from pg_prepared_statements where name like 'holdfast %'"
const often = { often: true }

it('a statement sent often is prepared once a session, others never', async () => {
  const database = open(undefined, 1)
  for (const n of [1, 2, 3]) expect(await database.query('select $1::int as n', [n], often)).toEqual([{ n }])
  await database.query('select $1::text as n', ['x'])
  expect(await database.query(PREPARED)).toEqual([{ n: 1 }])
})

it('a session that forgot its statements answers all the same, and from then on nothing is prepared', async () => {
  const database = open(undefined, 1)
  await database.query('select $1::int as n', [1], often)
  await database.script('deallocate all')
  expect(await database.query('select $1::int as n', [2], often)).toEqual([{ n: 2 }])
  expect(await database.query('select $1::int + 1 as n', [2], often)).toEqual([{ n: 3 }])
  expect(await database.query(PREPARED)).toEqual([{ n: 0 }])
})

it('a statement whose answer a migration has changed is sent again as it is', async () => {
  const database = open(undefined, 1)
  await database.script('create temporary table t (a int); insert into t values (1)')
  expect(await database.query('select * from t', [], often)).toEqual([{ a: 1 }])
  await database.script('alter table t add b int')
  expect(await database.query('select * from t', [], often)).toEqual([{ a: 1, b: null }])
})

it('a refusal of the statement itself is not taken for one of these', async () => {
  const database = open(undefined, 1)
  const refused = database.query('select 1 / $1::int', [0], often)
  await expect(refused).rejects.toMatchObject({ code: 'invalid_input' })
  expect(await database.query(PREPARED)).toEqual([{ n: 1 }])
})

it('through a pooler that shares sessions nothing is prepared', async () => {
  const pooler = inject('pgbouncer')
  if ('problem' in pooler) throw new Error(pooler.problem)
  const pooled = openPostgres({ url: pooler.url, connections: 3 })
  onTestFinished(() => pooled.close())
  const calls = Array.from({ length: 20 }, (_each, n) => pooled.query('select $1::int as n', [n], often))
  expect((await Promise.all(calls)).flat()).toEqual(calls.map((_call, n) => ({ n })))
  expect(await pooled.query(PREPARED)).toEqual([{ n: 0 }])
})
