import type { Store } from 'holdfast/store'
import { expect, it } from 'vitest'
import { freshStore } from '../../support/world.js'
import { failedJobs } from '../bulk/failed-jobs.js'

/** The ids that a search finds, page by page, oldest first. */
async function found(store: Store, query: string, limit = 50): Promise<number[]> {
  const ids: number[] = []
  let after: string | null = null
  do {
    const page: Awaited<ReturnType<Store['search']['page']>> = await store.search.page(query, {
      limit,
      ...(after === null ? {} : { after }),
    })
    ids.push(...page.rows.map(({ id }) => id))
    after = page.next
  } while (after !== null)
  return ids.sort((a, b) => a - b)
}

it('a range of ids bounds failed and canceled jobs at both ends', async () => {
  const store = await freshStore()
  const ids = await failedJobs(store, 6)
  const [first, second, third, fourth] = ids
  for (const limit of [50, 1]) {
    expect(await found(store, `state:failed id<=${second}`, limit)).toEqual([first, second])
    expect(await found(store, `state:failed id:${second}..${third}`, limit)).toEqual([second, third])
    expect(await found(store, `state:failed,canceled id<${fourth}`, limit)).toEqual([first, second, third])
    expect(await found(store, `state:failed -id>${second}`, limit)).toEqual([first, second])
  }
})

it('excluding a time of the end leaves jobs that have not ended', async () => {
  const store = await freshStore()
  const [failed] = await failedJobs(store, 1)
  const { jobId: queued } = await store.enqueue({ queue: 'mail', kind: 'send' })
  expect(await found(store, '-finished<2020-01-01')).toEqual([failed, queued])
  expect(await found(store, '-finished>2020-01-01')).toEqual([queued])
  expect(await found(store, '-finished:2020-01-01..2099-01-01')).toEqual([queued])
  expect(await found(store, '-finished>2020-01-01 state:failed')).toEqual([])
})

it('a day and its exclusion share no job and miss none, to the microsecond', async () => {
  const store = await freshStore()
  const [first, last, next] = await failedJobs(store, 3)
  for (const [id, at] of [
    [first, '2026-11-01T00:00:00.000000Z'],
    [last, '2026-11-01T23:59:59.999900Z'],
    [next, '2026-11-02T00:00:00.000000Z'],
  ])
    await store.database.query(
      'update holdfast.attempt set finished_at = $2::timestamptz where job_id = $1 and final',
      [id, at],
    )
  expect(await found(store, 'finished:2026-11-01')).toEqual([first, last])
  expect(await found(store, '-finished:2026-11-01')).toEqual([next])
})

it('compares numbers of inputs by every digit, also where a program would round them', async () => {
  const store = await freshStore()
  const add = async (id: string) => {
    const [row] = await store.database.query<{ id: number }>(
      "select holdfast.enqueue('mail', 'send', $1::text::jsonb) as id",
      [`{"id": ${id}}`],
    )
    return row?.id
  }
  const [low, high] = [await add('9007199254740992'), await add('9007199254740993')]
  expect(await found(store, 'input.id>=9007199254740993')).toEqual([high])
  expect(await found(store, 'input.id<9007199254740993')).toEqual([low])
  expect(await found(store, 'input.id:9007199254740992..9007199254740992')).toEqual([low])
  expect(await found(store, 'input.id:-1..99999999999999999999')).toEqual([low, high])
})

it('the last day that can be written and the longest age find what they cover', async () => {
  const store = await freshStore()
  const { jobId } = await store.enqueue({ queue: 'mail', kind: 'send' })
  for (const query of ['created:..9999-12-31', 'created<=9999-12', 'age<52000w', '-created:9999-12-31'])
    expect([query, await found(store, query)]).toEqual([query, [jobId]])
  for (const query of ['created:9999-12-31', 'created>9999-12-30', 'age>52000w'])
    expect([query, await found(store, query)]).toEqual([query, []])
})
