// The page on faults names tests; each of them must be there.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8')

it('every test that the page on faults names is in its file, under that title', () => {
  const rows = read('docs/internals/faults.md').matchAll(/\| `(test\/\S+\.test\.ts)` (?:⇄ )?(.+) \|$/gm)
  const named = [...rows].map(([, file = '', title = '']) => ({ file, title }))
  expect(named.length).toBeGreaterThan(30)
  expect(named.filter(({ file, title }) => !read(file).includes(title))).toEqual([])
})
