import { expect, it } from 'vitest'
import { freshStore } from '../../support/world.js'

it('a list leaves out a large input also where it is small once compressed', async () => {
  const store = await freshStore()
  const lines = (count: number) => ({ lines: Array.from({ length: count }, () => 'x'.repeat(1_000)) })
  await store.enqueue({ queue: 'mail', kind: 'large', input: lines(200) })
  await store.enqueue({ queue: 'mail', kind: 'small', input: lines(10) })
  const { rows } = await store.search.page('')
  expect(rows.map(({ kind, input }) => [kind, input])).toEqual([
    ['small', lines(10)],
    ['large', null],
  ])
})

it('an export has every input, however large it is as it is stored', async () => {
  const store = await freshStore()
  // Two letters each as JSON text, and twelve bytes and more as they are stored, of which few are alike.
  let seed = 1
  const digits = Array.from({ length: 130_000 }, () => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % 10
  })
  await store.enqueue({ queue: 'mail', kind: 'digits', input: { digits, lines: 'x'.repeat(1_000) } })
  let text = ''
  for await (const part of store.search.export({ terms: [] }, 'ndjson')) text += part
  expect(JSON.parse(text).input.digits).toHaveLength(130_000)
})
