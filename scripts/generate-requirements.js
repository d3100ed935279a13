// Writes docs/requirements.md: every behaviour asked of this project, and the tests that prove it. A test proves a row when its
// title begins with the row's id. Run it after adding such a test; another test fails while the page is stale.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const root = new URL('../', import.meta.url)

export function requirementsPage() {
  const sections = JSON.parse(readFileSync(new URL('scripts/requirements.json', root), 'utf8'))
  const proofs = proofsById()
  const known = new Set(sections.flatMap(({ rows }) => rows.map(({ id }) => id)))
  for (const id of proofs.keys()) {
    if (!known.has(id))
      throw new Error(`${proofs.get(id)?.[0]}: there is no row ${id} in scripts/requirements.json`)
  }
  const proven = [...known].filter((id) => proofs.has(id)).length
  return `# Requirements

<!-- Generated from scripts/requirements.json and the titles of the tests. To renew it: npm run generate -->

What Holdfast has to do, one row a behaviour, and the tests that prove it on a real Postgres.
${proven === known.size ? `All ${known.size} rows have a test.` : `${proven} of ${known.size} rows have a test; the others are planned.`}

${sections.map((section) => sectionText(section, proofs)).join('\n\n')}
${brokenText()}`
}

/** What `npm run prove:rows` has found. */
function brokenText() {
  const file = new URL('docs/proofs/rows.json', root)
  if (!existsSync(file)) return ''
  const { rows } = JSON.parse(readFileSync(file, 'utf8'))
  const lines = rows.map(({ row, breaks, red, proven }) => {
    const tests = red.map(({ file: test, title }) => `[${test}](../${test}): ${title.replaceAll('|', '\\|')}`)
    return `| ${row} | ${breaks} | ${proven ? tests.join('<br>') : 'not noticed'} |`
  })
  return `
## Broken on purpose

The behaviour of these rows was broken by a small patch each, and these tests, green before, failed. \`npm run prove:rows\` does it again;
[proofs/rows.json](proofs/rows.json) has the commit and the machine.

| row | what was broken | tests that failed |
|---|---|---|
${lines.join('\n')}
`
}

function sectionText({ title, preset, rows }, proofs) {
  const lines = rows.map(
    ({ id, behaviour }) => `| ${id} | ${behaviour} | ${proofs.get(id)?.join('<br>') ?? 'planned'} |`,
  )
  return [
    `## ${title}\n\nPreset \`${preset}\`.\n`,
    '| row | behaviour | proven by |\n|---|---|---|',
    ...lines,
  ].join('\n')
}

/** Titles as they stand in the source: behind \`it(\` or the second bracket of \`it.each(…)(\`, never those of describe. */
function proofsById() {
  const proofs = new Map()
  const files = readdirSync(new URL('test/', root), { recursive: true })
    .map((file) => `test/${file.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.test.ts'))
    .sort()
  for (const file of files) {
    const text = readFileSync(new URL(file, root), 'utf8')
    for (const [, , title] of text.matchAll(/(?<!describe)\(\s*(['"`])(S\d\.\d\d\b(?:\\.|(?!\1).)*)\1/gs)) {
      const [id, words] = [title.slice(0, 5), title.slice(5).replace(/\\(.)/g, '$1').trim()]
      const proof = `[${file}](../${file}): ${words.replaceAll('|', '\\|').replace(/\s+/g, ' ')}`
      proofs.set(id, [...(proofs.get(id) ?? []), proof])
    }
  }
  return proofs
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(new URL('docs/requirements.md', root), requirementsPage())
}
