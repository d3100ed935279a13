/**
 * Lists the titles of tests that a change removes, and those it adds: `npm run compare:titles -- <revision>`. A restructuring removes none,
 * but for renamed words. The files are read, not run: a title of `it.each` counts once, with its placeholders, and a title that is computed
 * does not count. A title that moves to another file is neither removed nor added.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const git = (args, input) =>
  execFileSync('git', args, { cwd: root, input, maxBuffer: 2 ** 30, stdio: ['pipe', 'pipe', 'inherit'] })

const [, , revision] = process.argv
if (revision === undefined) {
  process.stderr.write('Usage: npm run compare:titles -- <revision>\n')
  process.exit(2)
}

const TEXT = String.raw`('(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|\`(?:\\.|[^\`\\])*\`)`
/** `it('…'`, `describe('…'`, `onEachDriver('…'`. */
const CALL = new RegExp(String.raw`\b(?:it|test|describe|onEachDriver)(?:\.\w+)*\(\s*${TEXT}`, 'g')
/** `it.each(…)('…'`: the title follows the table. */
const AFTER_TABLE = new RegExp(String.raw`[\w\])](?:\s+as const)?,?\s*\)\(\s*${TEXT}`, 'g')

function titlesIn(text) {
  const found = [...text.matchAll(CALL)]
  if (/\.each\b/.test(text)) found.push(...text.matchAll(AFTER_TABLE))
  return found.map(([, title]) => title.slice(1, -1).replace(/\\(['"`])/g, '$1'))
}

const isTest = (file) => /\.test\.tsx?$/.test(file)

/** Each title with the files that have it, one entry for each time. */
function collect(files) {
  const titles = new Map()
  for (const [file, text] of files)
    for (const title of titlesIn(text)) titles.set(title, [...(titles.get(title) ?? []), file])
  return titles
}

function* filesAt(rev) {
  const names = String(git(['ls-tree', '-r', '--name-only', rev, 'test']))
    .split('\n')
    .filter(isTest)
  const answer = git(['cat-file', '--batch'], names.map((name) => `${rev}:${name}\n`).join(''))
  let at = 0
  for (const name of names) {
    const end = answer.indexOf('\n', at)
    const size = Number(String(answer.subarray(at, end)).split(' ')[2])
    yield [name, String(answer.subarray(end + 1, end + 1 + size))]
    at = end + 1 + size + 1
  }
}

function* filesNow() {
  const names = String(git(['ls-files', '--cached', '--others', '--exclude-standard', 'test'])).split('\n')
  const deleted = new Set(String(git(['ls-files', '--deleted', 'test'])).split('\n'))
  for (const name of new Set(names))
    if (isTest(name) && !deleted.has(name)) yield [name, readFileSync(`${root}/${name}`, 'utf8')]
}

/** Titles that `some` has more often than `others`, by file. */
function beyond(some, others) {
  return [...some].flatMap(([title, files]) =>
    files.slice(others.get(title)?.length ?? 0).map((file) => ({ file, title })),
  )
}

const before = collect(filesAt(revision))
const after = collect(filesNow())
const removed = beyond(before, after).map((each) => ({ ...each, sign: '-' }))
const added = beyond(after, before).map((each) => ({ ...each, sign: '+' }))
const byFile = new Map()
for (const entry of [...removed, ...added]) byFile.set(entry.file, [...(byFile.get(entry.file) ?? []), entry])
for (const [file, entries] of [...byFile].sort(([a], [b]) => (a < b ? -1 : 1))) {
  process.stdout.write(`${file}\n`)
  for (const { sign, title } of entries) process.stdout.write(`  ${sign} ${title}\n`)
}
const sum = (titles) => [...titles.values()].reduce((count, files) => count + files.length, 0)
process.stdout.write(
  `${sum(before)} titles at ${revision}, ${sum(after)} now: ${removed.length} removed, ${added.length} added\n`,
)
