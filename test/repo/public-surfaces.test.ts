// Tests of requirement rows speak through what a user has: the package, HTTP, the command line and SQL.
import { readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { posix } from 'node:path'
import { expect, it } from 'vitest'

const root = new URL('../../', import.meta.url)
const read = (file: string) => readFileSync(new URL(file, root), 'utf8')
const packages = Object.keys(JSON.parse(read('package.json')).devDependencies)

/** As in scripts/generate-requirements.js: such a title makes the test a proof of the row. */
const ROW_TITLE = /(?<!describe)\(\s*['"`]S\d\.\d\d\b/

const everyFile = readdirSync(new URL('test/', root), { recursive: true, encoding: 'utf8' }).map((name) =>
  posix.join('test', name.replaceAll('\\', '/')),
)
const rowTests = everyFile.filter(
  (file) =>
    /^test\/presets\/[^/]+\.ts$/.test(file) || (file.endsWith('.test.ts') && ROW_TITLE.test(read(file))),
)

interface Import {
  readonly file: string
  readonly name: string
}

function importsOf(file: string): Import[] {
  const found = read(file).matchAll(
    /(?:^import\b[^'"]*|\bfrom\s+|\bimport\(\s*|\brequire\(\s*|\bvi\.mock\(\s*)['"]([^'"]+)['"]/gm,
  )
  return [...found].map(([, name = '']) => ({ file, name }))
}

const pathOf = ({ file, name }: Import) => posix.join(posix.dirname(file), name)

/** Files beside a test that it uses are held to the same rules; `test/support` makes the world. */
function helpersOf(file: string): string[] {
  return importsOf(file)
    .filter(({ name }) => name.startsWith('.'))
    .map((each) => pathOf(each).replace(/\.js$/, '.ts'))
    .filter((path) => /^test\/(?!support\/)/.test(path) && path !== COMMAND_LINE && everyFile.includes(path))
}

/** The command line inside the test: it calls what `holdfast` calls, with the same arguments. */
const COMMAND_LINE = 'test/cli/run-holdfast.ts'

const files = [...new Set(rowTests.flatMap((file) => [file, ...helpersOf(file)]))]

/** The package, what tests share, other tests, the examples, and what others publish. */
function isPublic({ file, name }: Import): boolean {
  if (name.startsWith('.')) return /^(test|examples)\//.test(pathOf({ file, name }))
  if (/^holdfast(\/[\w-]+)?$/.test(name)) return true
  if (name.startsWith('node:')) return builtinModules.includes(name.slice('node:'.length))
  return packages.some((each) => name === each || name.startsWith(`${each}/`))
}

it('tests of requirement rows import only the package, other tests, the examples, Node and other packages', () => {
  const imports = files.flatMap(importsOf)
  expect(imports.length).toBeGreaterThan(100)
  expect(imports.filter((each) => !isPublic(each))).toEqual([])
})

it('they replace nothing of the package by something of their own, and call the server through its port', () => {
  const inside = files.filter((file) => /\bvi\.(mock|spyOn)\(|\.inject\(/.test(read(file)))
  expect(inside).toEqual([])
})

it('they are all tests with a row in their title, wherever they are', () => {
  const folders = new Set(rowTests.map((file) => posix.dirname(file)))
  expect([...folders].sort()).toEqual(expect.arrayContaining(['test/app', 'test/cli', 'test/presets']))
})

it.each([
  ['../../src/store/work.js', false],
  ['../server/world.js', true],
  ['../support/http.js', true],
  ['../../examples/x/y.js', true],
  ['holdfast/store', true],
  ['holdfast/src/store', false],
  ['node:fs', true],
  ['left-pad', false],
])('%s: %s', (name, allowed) => expect(isPublic({ file: 'test/presets/x.test.ts', name })).toBe(allowed))
