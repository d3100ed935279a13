// docs/recipes.md shows excerpts of examples/recipes. They are compared here, so that they stay the same.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const folder = join(root, 'examples', 'recipes')
const page = readFileSync(join(root, 'docs', 'recipes.md'), 'utf8')
const recipes = readdirSync(folder)
const textOf = (recipe: string) => readFileSync(join(folder, recipe), 'utf8')

/** Lines without the indentation that all of them share. */
function dedented(lines: readonly string[]): string {
  const indents = lines.filter((line) => line !== '').map((line) => line.search(/\S/))
  return lines.map((line) => line.slice(Math.min(...indents))).join('\n')
}

/** Whether these whole lines stand in the file one after the other, wherever they are indented. */
function isExcerpt(code: string, text: string): boolean {
  const lines = text.split('\n')
  const count = code.split('\n').length
  return lines.some((_, start) => dedented(lines.slice(start, start + count)) === code)
}

/** Each block of the page with the file that is linked last before it. */
const excerpts = [...page.matchAll(/^```(?:ts|sql|python)\n([\s\S]*?)\n```$/gm)].map((block) => {
  const before = page.slice(0, block.index)
  const linked = [...before.matchAll(/\(\.\.\/examples\/recipes\/([\w.-]+)\)/g)].map(([, file]) => file)
  const language = block[0].slice(3, 9)
  const file = linked.findLast((name) => name?.endsWith('.py') === language.startsWith('python')) ?? ''
  return { file, code: block[1] ?? '' }
})

it('every block of the page stands in the file that is named before it', () => {
  expect(excerpts.filter(({ file, code }) => !isExcerpt(code, textOf(file)))).toEqual([])
})

it('the comparison notices a changed line', () => {
  const { file, code } = excerpts[0] ?? expect.fail('the page has no blocks')
  expect(isExcerpt(code.replace('await', 'void'), textOf(file))).toBe(false)
})

it('the page has each recipe, with an excerpt', () => {
  const shown = new Set(excerpts.map(({ file }) => file))
  expect(recipes.filter((recipe) => !page.includes(`(../examples/recipes/${recipe})`))).toEqual([])
  expect(
    recipes.filter((recipe) => !shown.has(recipe) && !shown.has(recipe.replace(/\.ts$/, '.py'))),
  ).toEqual([])
})

describe.each(recipes)('%s', (recipe) => {
  const lines = textOf(recipe).trimEnd().split('\n')

  it('is short, and begins with what it does, when to use it and how to run it', () => {
    expect(lines.length).toBeLessThanOrEqual(62)
    const head = lines.filter((line) => !line.startsWith('#!')).slice(0, 3)
    expect(head).toEqual([
      expect.stringMatching(/^(\/\/ |""")\S.*[.]$/),
      expect.stringMatching(/^(\/\/ )?Use it .*[.]$/),
      expect.stringMatching(/^(\/\/ )?Run it: /),
    ])
    if (recipe.endsWith('.ts')) expect(head[2]).toContain(`npm run example -- recipes/${recipe.slice(0, -3)}`)
  })

  it('imports only what its reader has', () => {
    const imported = lines.flatMap((line) => /^import .*from '([^']+)'$/.exec(line)?.[1] ?? [])
    const known = /^(node:\w+(\/\w+)?|holdfast(\/\w+)?|fastify|pg|kysely|drizzle-orm(\/[\w-]+)?)$/
    expect(imported.filter((name) => !known.test(name))).toEqual([])
  })
})

it('each recipe has a test that runs it', () => {
  const tests = join(root, 'test', 'examples', 'recipes')
  const text = readdirSync(tests)
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => readFileSync(join(tests, file), 'utf8'))
    .join('\n')
  const names = new Set(recipes.map((recipe) => recipe.replace(/\.\w+$/, '')))
  expect([...names].filter((name) => !text.includes(name))).toEqual([])
})
