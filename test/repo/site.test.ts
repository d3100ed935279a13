// The documentation site before it is built: every page has a place, and what is generated is up to date.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { targetOf } from '../../docs/.vitepress/links.js'
import { addressOf, groupedPages, root, sitePages, titleOf } from '../../docs/.vitepress/pages.js'
import { errorsPage } from '../../scripts/generate-errors.js'
import { llmsFull, llmsIndex, skillPage } from '../../scripts/generate-llms.js'
import { ERRORS } from '../../src/domain/errors/errors.js'

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const grouped = groupedPages().flatMap(({ pages }) => pages)

it('every page is in one group of the sidebar: to add one, name it in docs/.vitepress/pages.js', () => {
  expect(sitePages().filter((page) => page !== 'docs/index.md' && !grouped.includes(page))).toEqual([])
  expect(grouped.filter((page, n) => grouped.indexOf(page) !== n)).toEqual([])
})

it('every page has an address of its own and a title', () => {
  const addresses = sitePages().map(addressOf)
  expect(new Set(addresses).size).toBe(addresses.length)
  for (const page of grouped) expect(titleOf(page), page).not.toBe(page)
})

describe('a link of a page leads', () => {
  it.each([
    ['docs/cli.md', 'concepts.md#lanes', { href: '/concepts.md#lanes' }],
    ['docs/cli.md', '../README.md', { href: '/' }],
    ['docs/cli.md', '../examples', { href: '/examples/index.md' }],
    ['docs/cli.md', '../CHANGELOG.md', { href: '/changelog.md' }],
    ['docs/presets/crawl.md', '../images/top.svg', { href: '/images/top.svg' }],
    ['examples/README.md', 'work-kinds/README.md', { href: '/examples/work-kinds.md' }],
    ['docs/cli.md', '../src/index.ts', { file: 'src/index.ts' }],
    ['docs/cli.md', 'https://example.org', undefined],
    ['docs/cli.md', '#here', undefined],
  ])('from %s by %s to the site or, as text, to the repository', (page, href, target) => {
    expect(targetOf(page, href)).toEqual(target)
  })
})

it.each([
  ['docs/errors.md', () => errorsPage(ERRORS)],
  ['docs/llms.txt', () => llmsIndex()],
  ['docs/skill/SKILL.md', () => skillPage()],
])('%s is up to date: to renew it, npm run generate', (file, text) => {
  expect(read(file)).toBe(text())
})

it('llms.txt links to pages that exist, and llms-full.txt has the text of the guides', () => {
  const links = [...llmsIndex().matchAll(/^- \[.+?\]\((\S+?)\): \S/gm)].map(([, file = '']) => file)
  expect(links.length).toBe(grouped.length)
  expect(links.filter((file) => !existsSync(join(root, 'docs', file)))).toEqual([])
  expect(llmsFull()).toContain(read('docs/library.md').trim())
})
