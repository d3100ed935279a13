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
