// The pages of the presets and of the worker protocol are scripts: each block is run with curl, and what it shows is what comes out.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { listening } from '../conformance/worlds.js'
import { countLeases } from '../support/leases.js'
import { blocksIn, runBlocks, valuesIn, withPlaceholders } from '../support/transcript.js'
import { pinnedStore } from '../support/world.js'

const docs = new URL('../../docs/', import.meta.url)
const PRESETS = ['harvest', 'crawl', 'pipeline', 'target', 'catalog']
const PAGES = ['worker-protocol.md', ...PRESETS.map((preset) => `presets/${preset}.md`)]

it.each(PAGES)('every command of %s answers what the page shows', async (page) => {
  const store = await pinnedStore()
  await countLeases(store.database)
  const { url, key } = await listening(store)
  const blocks = blocksIn(new URL(page, docs))
  expect(blocks.length).toBeGreaterThan(5)
  const answers = await runBlocks(blocks, { URL: url, KEY: key })
  for (const [index, { code, shows }] of blocks.entries()) {
    if (shows === '') continue
    const real = valuesIn(answers[index] ?? '')
    expect(real, code).toEqual(withPlaceholders(valuesIn(shows), real))
  }
})

it('no page shows a curl command that no test runs', () => {
  const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  )
  const unrun = pages.filter((page) => {
    const text = readFileSync(new URL(page, docs), 'utf8')
    const blocks = [...text.matchAll(/^```(\w+)( run)?\n([\s\S]*?)^```$/gm)]
    return blocks.some(
      ([, , run, code = '']) => /^\s*curl /m.test(code) && (run === undefined || !PAGES.includes(page)),
    )
  })
  expect(unrun).toEqual([])
})
