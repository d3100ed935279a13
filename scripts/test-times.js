/**
 * Runs a lane of the tests and keeps its 30 slowest files in test/times.md, with the machine and the commit:
 * `npm run test:times` for the quick lane, `npm run test:times -- full` for the full one.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { circumstances } from './prove/circumstances.js'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SLOWEST = 30
/** A file that takes longer belongs to the full lane. */
const QUICK_FILE_S = 20

const lane = process.argv[2] ?? 'quick'
const folder = mkdtempSync(join(tmpdir(), 'holdfast-times-'))
const results = join(folder, 'results.json')
const config = lane === 'full' ? ['--config', 'vitest.full.config.ts'] : []
const startedAt = performance.now()
const { status } = spawnSync('npx', ['vitest', 'run', ...config], {
  cwd: ROOT,
  stdio: 'inherit',
  env: { ...process.env, TEST_RESULTS: results },
})
const tookS = Math.round((performance.now() - startedAt) / 1000)
const { testResults, numPassedTests } = JSON.parse(readFileSync(results, 'utf8'))
rmSync(folder, { recursive: true })

const seconds = ({ startTime, endTime }) => (endTime - startTime) / 1000
const slowest = testResults.sort((a, b) => seconds(b) - seconds(a)).slice(0, SLOWEST)
const rows = slowest.map((file) => {
  const tests = file.assertionResults.length
  return `| ${seconds(file).toFixed(1)} | ${tests} | \`${relative(ROOT, file.name)}\` |`
})
const { at, commit, machine } = circumstances(ROOT, ['src', 'sql', 'test'])
const where = `${machine.cores} cores (${machine.cpu}), ${machine.memoryGb} GB, Node ${machine.node}`
const page = [
  `# The slowest test files of the ${lane} lane`,
  '',
  `${numPassedTests} tests passed in ${tookS} s, without the build, on ${where}, at ${commit.slice(0, 7)} (${at.slice(0, 10)}). Made by \`npm run test:times\`.`,
  '',
  '| seconds | tests | file |',
  '|---|---|---|',
  ...rows,
  '',
].join('\n')
writeFileSync(join(ROOT, 'test', lane === 'full' ? 'times-full.md' : 'times.md'), page)
process.stdout.write(`${page}\n`)
const long = lane === 'full' ? [] : slowest.filter((file) => seconds(file) > QUICK_FILE_S)
for (const file of long)
  process.stdout.write(`${relative(ROOT, file.name)} takes over ${QUICK_FILE_S} s: name it *.slow.test.ts\n`)
process.exitCode = status ?? 1
