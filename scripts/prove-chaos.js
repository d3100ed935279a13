// Runs the chaos of docs/internals/proof.md: ten runs of a minute with different numbers, and every mutant. Writes what they came to into
// docs/proofs/chaos.json, and its tables into docs/internals/proof.md.
//
// A mutant is dead when a check reports that is about a promise; that something had not ended after the drain is not enough.
//
//   npm run prove:chaos -- [--only runs|mutants] [--first-seed 201] [--runs 10] [--seconds 60]
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { mutantsTable, runsTable } from './prove/chaos-tables.js'
import { circumstances } from './prove/circumstances.js'

const root = fileURLToPath(new URL('../', import.meta.url))
const JSON_FILE = `${root}docs/proofs/chaos.json`
const PAGE = `${root}docs/internals/proof.md`
/** As many as can be told apart in a minute, in turn. */
const WORKERS = [4, 5, 6]
const MUTANTS = [
  'no-fence',
  'fence-by-state',
  'sweep-by-id',
  'claim-in-limit',
  'worker-clock',
  'lane-not-locked',
  'key-select-then-insert',
  'async-claim',
  'lease-revived',
  'revoked-by-id',
  'feed-unflushed',
  'ack-before-commit',
]
/** Any mistake may keep a job from its end; that alone says nothing about a promise. */
const NO_PROOF = 'everything has ended after the drain'
const MUTANT_FLAGS = ['--seconds', '20', '--random-seed', '7', '--workers', '4']

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    'first-seed': { type: 'string', default: '201' },
    runs: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '60' },
  },
})

const proof = existsSync(JSON_FILE) ? JSON.parse(readFileSync(JSON_FILE, 'utf8')) : {}
if (values.only !== 'mutants')
  proof.runs = { ...circumstances(root, ['src', 'sql', 'test/chaos']), results: await allRuns() }
if (values.only !== 'runs')
  proof.mutants = { ...circumstances(root, ['src', 'sql', 'test/chaos']), results: await allMutants() }
proof.passed =
  proof.runs?.results.every(({ verdict }) => verdict === 'held') === true &&
  proof.mutants?.results.every(({ dead }) => dead) === true
writeFileSync(JSON_FILE, `${JSON.stringify(proof, null, 2)}\n`)
writePage()
execFileSync('npx', ['biome', 'format', '--write', JSON_FILE], { cwd: root, stdio: 'ignore' })
process.exitCode = proof.passed ? 0 : 1

async function allRuns() {
  const results = []
  for (let n = 0; n < Number(values.runs); n++) {
    const seed = Number(values['first-seed']) + n
    const workers = WORKERS[n % WORKERS.length]
    const loadBefore = loadavg()[0].toFixed(1)
    const flags = ['--seconds', values.seconds, '--random-seed', String(seed), '--workers', String(workers)]
    const { verdict, counts, seen, leftToDrain, drainedInMs, deeds, undone, heldUp, findings, folder } =
      await chaos(flags)
    const violations = findings.flatMap((finding) => finding.violations)
    const done = deeds.filter(({ failed }) => failed === undefined).length
    results.push({
      seed,
      workers,
      verdict,
      violations,
      faults: done,
      undone,
      counts,
      seen,
      leftToDrain,
      drainedInMs: Math.round(drainedInMs),
      heldUp,
      loadBefore: Number(loadBefore),
    })
    say(
      `seed ${seed}: ${verdict}, ${counts['jobs made']} jobs, drained in ${Math.round(drainedInMs)} ms ${folder ?? ''}`,
    )
  }
  return results
}

async function allMutants() {
  const results = []
  for (const mutant of MUTANTS) {
    const { began, findings, mistake, meant } = await chaos([...MUTANT_FLAGS, '--mutant', mutant])
    const killers = findings.filter(({ check, violations }) => violations.length > 0 && check !== NO_PROOF)
    const killedBy = killers.map(({ check }) => check)
    const violations = killers.flatMap((finding) => finding.violations)
    const dead = killedBy.length > 0
    const caughtBy = {}
    for (const { rule } of violations) caughtBy[rule] = (caughtBy[rule] ?? 0) + 1
    const times = violations.flatMap(({ at }) => (at === undefined ? [] : [Date.parse(at)]))
    // The workers are at it before the first fault.
    const first = times.length === 0 ? null : Math.max(0, (Math.min(...times) - Date.parse(began)) / 1_000)
    results.push({ mutant, mistake, meant, dead, killedBy, caughtBy, firstAfterSeconds: first })
    const how = killedBy.includes(meant)
      ? 'dead by the check meant for it'
      : dead
        ? 'dead by another check'
        : 'ALIVE'
    say(`mutant ${mutant}: ${how}, ${violations.length} violations (${killedBy.join('; ')})`)
  }
  return results
}

function chaos(flags) {
  const child = spawn(process.execPath, [`${root}scripts/chaos.js`, ...flags, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  child.stdout.on('data', (chunk) => {
    text += chunk
  })
  return new Promise((resolve, reject) => {
    child.on('close', (code) => {
      try {
        resolve(JSON.parse(text))
      } catch {
        reject(new Error(`a run ended with code ${code} and without a result`))
      }
    })
  })
}

function writePage() {
  let text = readFileSync(PAGE, 'utf8')
  for (const [name, table] of [
    ['mutants', mutantsTable(proof.mutants)],
    ['runs', runsTable(proof.runs)],
  ]) {
    const part = new RegExp(`(<!-- ${name}: [^>]*-->\n)[\\s\\S]*?(<!-- end -->)`)
    if (!part.test(text)) throw new Error(`docs/internals/proof.md has no place for ${name}`)
    text = text.replace(part, (_all, begin, end) => `${begin}\n${table}\n\n${end}`)
  }
  writeFileSync(PAGE, text)
}

function say(text) {
  console.log(`${new Date().toISOString().slice(11, 19)}  ${text}`)
}
