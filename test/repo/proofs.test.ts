// Pages that show what a proof came to show what its file says.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { MUTANTS } from '../chaos/mutants.js'

const at = (path: string) => new URL(`../../${path}`, import.meta.url)
const read = (path: string) => readFileSync(at(path), 'utf8')

it('the page on the server under abuse has the table of docs/proofs/server.json', async () => {
  const { serverTable } = await import(at('scripts/prove/server-table.js').href)
  const [, shown] =
    /<!-- results: [^>]*-->\n\n([\s\S]*?)\n\n<!-- end -->/.exec(read('docs/internals/server-proof.md')) ?? []
  expect(shown).toBe(serverTable(JSON.parse(read('docs/proofs/server.json'))))
})

it('the page on the dashboard has the table of docs/proofs/dashboard-interaction.json', async () => {
  const { interactionTable } = await import(at('scripts/prove/interaction-table.js').href)
  const [, shown] = /<!-- interaction -->\n\n([\s\S]*?)\n\n<!-- end -->/.exec(read('docs/dashboard.md')) ?? []
  expect(shown).toBe(interactionTable(JSON.parse(read('docs/proofs/dashboard-interaction.json'))))
})

it('the page on the crash test has the tables of docs/proofs/chaos.json', async () => {
  const { mutantsTable, runsTable } = await import(at('scripts/prove/chaos-tables.js').href)
  const { mutants, runs } = JSON.parse(read('docs/proofs/chaos.json'))
  const shown = (name: string) =>
    new RegExp(`<!-- ${name}: [^>]*-->\\n\\n([\\s\\S]*?)\\n\\n<!-- end -->`).exec(
      read('docs/internals/proof.md'),
    )?.[1]
  expect(shown('mutants')).toBe(mutantsTable(mutants))
  expect(shown('runs')).toBe(runsTable(runs))
})

describe('a series of chaos runs', () => {
  const here = { commit: 'c2', tree: 't1', machine: { cpu: 'a' } }
  const results = () => import(at('scripts/prove/chaos-results.js').href)

  it('has every mutant there is', async () => {
    expect((await results()).MUTANTS).toEqual(Object.keys(MUTANTS))
  })

  it('goes on with results of the same tree and machine, and begins anew with any other', async () => {
    const { continued } = await results()
    const before = { commit: 'c1', tree: 't1', machine: { cpu: 'a' }, results: [{ seed: 1 }] }
    expect(continued(before, here)).toEqual(before)
    const anew = { ...here, results: [] }
    expect(continued(undefined, here)).toEqual(anew)
    expect(continued({ ...before, tree: 't0' }, here)).toEqual(anew)
    expect(continued({ ...before, machine: { cpu: 'b' } }, here)).toEqual(anew)
    // What was not committed may have been anything.
    const uncommitted = { ...here, tree: null }
    expect(continued({ ...before, tree: null }, uncommitted)).toEqual({ ...uncommitted, results: [] })
  })

  it('keeps one result of each name, in order, whatever came first', async () => {
    const { withResult } = await results()
    let part = { results: [] as { seed: number; verdict: string }[] }
    for (const [seed, verdict] of [
      [3, 'held'],
      [1, 'broken'],
      [2, 'held'],
      [1, 'held'],
    ])
      part = withResult(part, 'seed', { seed, verdict }, [1, 2, 3])
    expect(part.results).toEqual([1, 2, 3].map((seed) => ({ seed, verdict: 'held' })))
  })

  it('has passed when nothing is missing, alive or broken, and all of it is of one tree', async () => {
    const { isPassed } = await results()
    const runs = { tree: 't1', results: [{ seed: 1, verdict: 'held' }] }
    const mutants = { tree: 't1', results: [{ mutant: 'm', dead: true }] }
    const passes = (proof: object, seeds = [1], names = ['m']) => isPassed(proof, seeds, names)
    expect(passes({ runs, mutants })).toBe(true)
    expect(passes({ runs, mutants }, [1, 2])).toBe(false)
    expect(passes({ runs, mutants }, [1], ['m', 'n'])).toBe(false)
    expect(passes({ mutants })).toBe(false)
    expect(passes({ runs: { ...runs, tree: 't0' }, mutants })).toBe(false)
    expect(passes({ runs: { ...runs, tree: null }, mutants: { ...mutants, tree: null } })).toBe(false)
    expect(passes({ runs: { ...runs, results: [{ seed: 1, verdict: 'vacuous' }] }, mutants })).toBe(false)
    expect(passes({ runs, mutants: { ...mutants, results: [{ mutant: 'm', dead: false }] } })).toBe(false)
  })
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

it('the tests that docs/proofs/rows.json shows are still there, by file and title', () => {
  const { rows } = JSON.parse(read('docs/proofs/rows.json')) as {
    rows: { red: { file: string; title: string }[] }[]
  }
  for (const { file, title } of rows.flatMap(({ red }) => red)) {
    const titles = [...read(file).matchAll(/(['"`])S\d\.\d\d ((?:\\.|(?!\1).)*)\1/gs)].map(
      ([, , each = '']) => each.replace(/\\(.)/g, '$1').replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
    )
    // A title of it.each has placeholders where the proof has values.
    const isThere = titles.some((each) => new RegExp(`^${each.replace(/%\w/g, '.*')}$`, 's').test(title))
    expect(isThere, `${file}: ${title}`).toBe(true)
  }
})
