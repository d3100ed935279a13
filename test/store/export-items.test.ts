import { type ClaimedJob, type Store, storeOn } from 'holdfast/store'
import { expect, it } from 'vitest'
import { freshStore, onEachDriver } from '../support/world.js'

const QUEUE = 'leads'

async function storeWith(store: Store, ...reports: unknown[][]): Promise<ClaimedJob> {
  await store.queues.create(QUEUE, { preset: 'harvest' })
  await store.enqueue({ queue: QUEUE, kind: 'scrape' })
  const [job] = await store.work.claim({ worker: 'w1', queues: [QUEUE] })
  for (const items of reports) await store.work.report({ ...(job as ClaimedJob), items })
  return job as ClaimedJob
}

async function textOf(pieces: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const piece of pieces) text += piece
  return text
}

const exportOf = (store: Store, format: 'json' | 'csv') =>
  textOf(store.read.exportItems({ queue: QUEUE }, format))

/** The lines without the header and without the columns every export has. */
async function cellsOf(store: Store): Promise<string[]> {
  const lines = (await exportOf(store, 'csv')).trimEnd().split('\r\n').slice(1)
  return lines.map((line) => line.replace(/,\d+,\d+,[^,]*,$/, ''))
}

onEachDriver('an export of items', (driver) => {
  it('has every item once over many pages, and keeps fields that come after the first page', async () => {
    const store = await freshStore(driver)
    const page = (from: number) =>
      Array.from({ length: 1_000 }, (_, n) => ({ phone: `p${from + n}`, ...(n === 999 ? { late: n } : {}) }))
    await storeWith(store, page(0), page(1_000))
    const pieces: string[] = []
    for await (const piece of store.read.exportItems({ queue: QUEUE }, 'csv')) pieces.push(piece)
    expect(pieces.length).toBeGreaterThan(10)
    const lines = pieces.join('').trimEnd().split('\r\n')
    expect(lines).toHaveLength(2_001)
    expect(new Set(lines.map((line) => line.split(',')[0])).size).toBe(2_001)
    expect(lines.filter((line) => line.endsWith('"{""late"":999}"'))).toHaveLength(2)
    expect(JSON.parse(await exportOf(store, 'json'))).toHaveLength(2_000)
  })

  it('ends when its reader stops', async () => {
    const store = await freshStore(driver)
    await storeWith(
      store,
      Array.from({ length: 500 }, (_, n) => ({ phone: n })),
    )
    const reader = store.read.exportItems({ queue: QUEUE }, 'json')
    expect((await reader.next()).value).toContain('"phone":0')
    await reader.return()
    expect(await reader.next()).toEqual({ done: true, value: undefined })
  })

  it('of nothing is an empty list, or a header alone', async () => {
    const store = await freshStore(driver)
    await storeWith(store)
    expect(JSON.parse(await exportOf(store, 'json'))).toEqual([])
    expect(await exportOf(store, 'csv')).toBe('item_id,job_id,created_at,other_fields\r\n')
  })
})

const CELLS: [value: unknown, written: string][] = [
  ['plain', 'plain'],
  ['two words', 'two words'],
  ['a,b', '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ['line\nbreak', '"line\nbreak"'],
  ['semi;colon', '"semi;colon"'],
  [' padded ', '" padded "'],
  ['', '""'],
  [null, ''],
  [-5.5, '-5.5'],
  [true, 'true'],
  ['+371 (20) 01-2.3', '"+371 (20) 01-2.3"'],
  ['-12', '-12'],
  ['+A1', '"\'+A1"'],
  ['-1+cmd|x', '"\'-1+cmd|x"'],
  ['=1', '"\'=1"'],
  ['@SUM(A1)', '"\'@SUM(A1)"'],
  ['\t=1', '"\'\t=1"'],
  ['＝1', '"\'＝1"'],
  [['=1'], '"[""=1""]"'],
]

it('writes a cell so that it is read back as it was and never run', async () => {
  const store = await freshStore()
  await storeWith(
    store,
    CELLS.map(([value], phone) => ({ phone, value })),
  )
  const cells = await cellsOf(store)
  for (const [index, [value, written]] of CELLS.entries()) {
    expect(cells, JSON.stringify(value)).toContain(`${index},${written}`)
  }
  expect(cells).toHaveLength(CELLS.length)
})

it('keeps fields that are named like the columns of the export, and items that are no objects', async () => {
  const store = await freshStore()
  await storeWith(store, [{ job_id: 'theirs', a: 1 }], ['just text'], [{ '=evil': 1 }])
  const [header, ...lines] = (await exportOf(store, 'csv')).trimEnd().split('\r\n')
  expect(header).toBe('a,"\'=evil",item_id,job_id,created_at,other_fields')
  expect(lines[0]).toMatch(/^1,,1,1,[^,]+,"\{""job_id"":""theirs""\}"$/)
  expect(lines[1]).toMatch(/^,,2,1,[^,]+,"""just text"""$/)
  expect(lines[2]).toMatch(/^,1,3,1,[^,]+,$/)
})

it('refuses a format it does not know and a job that is not there', async () => {
  const store = await freshStore()
  await storeWith(store)
  await expect(exportOf(store, 'xml' as 'csv')).rejects.toMatchObject({
    code: 'invalid_input',
    details: { path: '/format' },
  })
  await expect(textOf(store.read.exportItems({ jobId: 404 }, 'csv'))).rejects.toMatchObject({
    code: 'unknown_job',
  })
})

it.each(['stale', 'fresh'])(
  'reads a page by an index, never by sorting the collection (%s statistics)',
  async (age) => {
    const store = await freshStore('postgres', { own: true })
    const items = Array.from({ length: 1_000 }, (_, phone) => ({ phone }))
    const { jobId } = await storeWith(store, items)
    if (age === 'fresh') await store.database.script('analyze holdfast.item')
    const asked: [string, readonly unknown[]][] = []
    const recorded = storeOn({
      ...store.database,
      query: <Row>(text: string, values: readonly unknown[] = []) => {
        asked.push([text, values])
        return store.database.query<Row>(text, values)
      },
    })
    await recorded.read.items({ queue: QUEUE, afterId: 500, limit: 10 })
    await recorded.read.items({ jobId, afterId: 500, limit: 10 })
    expect(asked).toHaveLength(2)
    for (const [text, values] of asked) {
      const plan = await store.database.query(`explain (format json) ${text}`, values)
      expect(JSON.stringify(plan)).not.toContain('"Sort')
    }
  },
)
