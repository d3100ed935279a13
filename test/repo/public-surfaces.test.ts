// Tests of requirement rows speak through what a user has: the package, HTTP, the command line and SQL.
import { readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { expect, it } from 'vitest'

const folder = new URL('../presets/', import.meta.url)
const files = readdirSync(folder).filter((name) => name.endsWith('.ts'))
const packages = Object.keys(
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).devDependencies,
)

/** The package, what tests share, other tests of this folder, and what others publish. */
function isPublic(name: string): boolean {
  if (/^holdfast(\/[\w-]+)?$/.test(name) || name.startsWith('../support/') || name.startsWith('./'))
    return true
  if (name.startsWith('node:')) return builtinModules.includes(name.slice('node:'.length))
  return packages.some((each) => name === each || name.startsWith(`${each}/`))
}

it('tests of requirement rows import only the package, what tests share, Node and other packages', () => {
  const imports = files.flatMap((file) =>
    [
      ...readFileSync(new URL(file, folder), 'utf8').matchAll(
        /(?:^import\b[^'"]*|\bfrom\s+|\bimport\(\s*|\brequire\(\s*|\bvi\.mock\(\s*)['"]([^'"]+)['"]/gm,
      ),
    ].map(([, name = '']) => ({ file, name })),
  )
  expect(imports.length).toBeGreaterThan(100)
  expect(imports.filter(({ name }) => !isPublic(name))).toEqual([])
})

it('they replace nothing of the package by something of their own', () => {
  const mocked = files.filter((file) =>
    /\bvi\.(mock|spyOn)\(/.test(readFileSync(new URL(file, folder), 'utf8')),
  )
  expect(mocked).toEqual([])
})

it.each([
  ['../../src/store/work.js', false],
  ['../server/world.js', false],
  ['../support/http.js', true],
  ['holdfast/store', true],
  ['holdfast/src/store', false],
  ['node:fs', true],
  ['left-pad', false],
])('%s: %s', (name, allowed) => expect(isPublic(name)).toBe(allowed))
