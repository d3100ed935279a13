// Breaks the behaviour of requirement rows on purpose, one after the other, and shows that a test of the row notices: green before, red with
// the patch of scripts/prove/row-patches.js. Works on a copy of the repository. Writes docs/proofs/rows.json, which docs/requirements.md shows.
//
//   npm run prove:rows -- [--only S3.06]
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { circumstances } from './prove/circumstances.js'
import { ROW_PATCHES } from './prove/row-patches.js'

const root = fileURLToPath(new URL('../', import.meta.url))
const JSON_FILE = join(root, 'docs/proofs/rows.json')
/** What the tests need, besides the modules that are installed. */
const COPIED = ['src', 'sql', 'test', 'scripts', 'config', 'dashboard', 'deploy', 'docs', 'examples', 'api']

const { values } = parseArgs({ options: { only: { type: 'string' } } })
const patches = ROW_PATCHES.filter(({ row }) => values.only === undefined || row === values.only)
if (patches.length === 0)
  throw new Error(`There is no patch for ${values.only}: ${ROW_PATCHES.map(({ row }) => row).join(', ')}.`)

const copy = mkdtempSync(join(tmpdir(), 'holdfast-rows-'))
process.on('exit', () => rmSync(copy, { recursive: true, force: true }))
makeCopy()
build()
/** The compiled package has the mistake of the last patch. */
let isStale = false
const whole = testsOf(patches)
const results = patches.map(proveRow)
save(results)
process.exitCode = results.every(({ proven }) => proven) ? 0 : 1

function makeCopy() {
  for (const name of COPIED) cpSync(join(root, name), join(copy, name), { recursive: true })
  const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n')
  for (const name of files.filter((file) => file !== '' && !file.includes('/')))
    cpSync(join(root, name), join(copy, name))
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
}

function proveRow(patch) {
  const { row, breaks, edits } = patch
  const before = whole.filter((test) => test.row === row)
  const originals = new Map(edits.map(({ file }) => [file, readFileSync(join(copy, file), 'utf8')]))
  const isCompiled = [...originals.keys()].some((file) => file.startsWith('src/'))
  for (const edit of edits) apply(edit)
  if (isCompiled || isStale) build()
  isStale = isCompiled
  const broken = testsOf([patch]).filter((test) => test.row === row)
  for (const [file, text] of originals) writeFileSync(join(copy, file), text)
  const red = broken.filter(({ passed }) => !passed)
  const proven = before.length > 0 && before.every(({ passed }) => passed) && red.length > 0
  console.log(`${row}: ${proven ? 'proven' : 'NOT proven'}. ${breaks}`)
  for (const { title, passed } of before) if (!passed) console.log(`  fails without the patch: ${title}`)
  for (const { title, file } of red) console.log(`  red: ${title} (${file})`)
  return {
    row,
    breaks,
    files: [...originals.keys()],
    green: before.filter(({ passed }) => passed).length,
    red: red.map(({ file, title }) => ({ file, title })),
    proven,
  }
}

function apply({ file, find, replace }) {
  const path = join(copy, file)
  const text = readFileSync(path, 'utf8')
  const times = text.split(find).length - 1
  if (times !== 1) throw new Error(`${file} has "${find}" ${times} times, not once: change the patch.`)
  writeFileSync(
    path,
    text.replace(find, () => replace),
  )
}

function build() {
  const script = [join(copy, 'scripts/build.js'), '--no-check']
  execFileSync(process.execPath, script, { cwd: copy, stdio: ['ignore', 2, 2] })
}

/** Runs the tests of these rows, those whose titles begin with one, and answers what became of each. */
function testsOf(ofRows) {
  const report = join(copy, 'results.json')
  rmSync(report, { force: true })
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const titles = `(${ofRows.map(({ row }) => row.replace('.', '\\.')).join('|')}) `
  const flags = ['--config', 'vitest.full.config.ts', '--maxWorkers', '1', '-t', titles]
  const files = [...new Set(ofRows.flatMap(({ tests }) => tests))]
  spawnSync(
    process.execPath,
    [vitest, 'run', ...flags, '--reporter', 'json', '--outputFile', report, ...files],
    { cwd: copy, stdio: 'ignore' },
  )
  if (!existsSync(report)) throw new Error(`The tests of ${titles} did not run.`)
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'))
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.flatMap(({ title, status }) => {
      const [row, ...words] = title.split(' ')
      if (status !== 'passed' && status !== 'failed') return []
      return [{ row, file: name.slice(copy.length + 1), title: words.join(' '), passed: status === 'passed' }]
    }),
  )
}

/** Rows that were not run keep the result they had. */
function save(fresh) {
  const before = existsSync(JSON_FILE) ? JSON.parse(readFileSync(JSON_FILE, 'utf8')).rows : []
  const around = circumstances(root, ['src', 'sql', 'test', 'scripts'])
  const rows = ROW_PATCHES.flatMap(({ row }) => {
    const proof = fresh.find((each) => each.row === row)
    return proof === undefined ? before.filter((each) => each.row === row) : [{ ...proof, ...around }]
  })
  const proof = { rows, passed: rows.length === ROW_PATCHES.length && rows.every(({ proven }) => proven) }
  writeFileSync(JSON_FILE, `${JSON.stringify(proof, null, 2)}\n`)
  execFileSync('npx', ['biome', 'format', '--write', JSON_FILE], { cwd: root, stdio: 'ignore' })
  execFileSync(process.execPath, [join(root, 'scripts/generate-requirements.js')], { cwd: root })
}
