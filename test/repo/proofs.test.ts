// Pages that show what a proof came to show what its file says.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const at = (path: string) => new URL(`../../${path}`, import.meta.url)
const read = (path: string) => readFileSync(at(path), 'utf8')

it('the page on the server under abuse has the table of docs/proofs/server.json', async () => {
  const { serverTable } = await import(at('scripts/prove/server-table.js').href)
  const [, shown] =
    /<!-- results: [^>]*-->\n\n([\s\S]*?)\n\n<!-- end -->/.exec(read('docs/internals/server-proof.md')) ?? []
  expect(shown).toBe(serverTable(JSON.parse(read('docs/proofs/server.json'))))
})

interface RowPatch {
  row: string
  edits: { file: string; find: string }[]
  tests: string[]
}

it('the patches that break rows on purpose fit the sources as they are, and name tests of their rows', async () => {
  const { ROW_PATCHES }: { ROW_PATCHES: RowPatch[] } = await import(at('scripts/prove/row-patches.js').href)
  for (const { row, edits, tests } of ROW_PATCHES) {
    for (const { file, find } of edits) expect(read(file).split(find).length - 1, `${row} in ${file}`).toBe(1)
    for (const file of tests) expect(read(file), `${row} in ${file}`).toContain(`${row} `)
  }
})

it('docs/proofs/rows.json shows that each of them was noticed', async () => {
  const { ROW_PATCHES }: { ROW_PATCHES: RowPatch[] } = await import(at('scripts/prove/row-patches.js').href)
  const { rows } = JSON.parse(read('docs/proofs/rows.json')) as { rows: { row: string; proven: boolean }[] }
  expect(rows.map(({ row, proven }) => ({ row, proven }))).toEqual(
    ROW_PATCHES.map(({ row }) => ({ row, proven: true })),
  )
})
