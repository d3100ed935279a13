// Runs the chaos of docs/internals/proof.md: ten runs of a minute with different numbers, and every mutant. Writes what they came to into
// docs/proofs/chaos.json, and its tables into docs/internals/proof.md, after each of them.
//
// Results of the same tree and machine are kept: a series that was interrupted, or was run in parts, goes on with what is missing.
// `--again` runs everything anew.
//
// A mutant is dead when a check reports that is about a promise; that something had not ended after the drain is not enough.
//
//   npm run prove:chaos -- [--only runs|mutants] [--again] [--first-seed 201] [--runs 10] [--seconds 60]
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { chaosCircumstances, continued, isPassed, MUTANTS, withResult } from './prove/chaos-results.js'
import { mutantsTable, runsTable } from './prove/chaos-tables.js'
import { compiled } from './prove/compiled.js'

const root = fileURLToPath(new URL('../', import.meta.url))
const JSON_FILE = `${root}docs/proofs/chaos.json`
const PAGE = `${root}docs/internals/proof.md`
/** As many as can be told apart in a minute, in turn. */
const WORKERS = [4, 5, 6]
/** Any mistake may keep a job from its end; that alone says nothing about a promise. */
const NO_PROOF = 'everything has ended after the drain'
const MUTANT_FLAGS = ['--seconds', '20', '--random-seed', '7', '--workers', '4']

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    again: { type: 'boolean', default: false },
    'first-seed': { type: 'string', default: '201' },
    runs: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '60' },
  },
})
if (values.only !== undefined && !['runs', 'mutants'].includes(values.only))
  throw new Error('--only must be runs or mutants')
const SEEDS = Array.from({ length: Number(values.runs) }, (_, n) => Number(values['first-seed']) + n)

const proof = existsSync(JSON_FILE) ? JSON.parse(readFileSync(JSON_FILE, 'utf8')) : {}
const here = chaosCircumstances(root)
// Once for all of them: compiling takes as long as half a run of a mutant.
const folder = compiled(['test/chaos', 'test/support/sql.ts'])
if (values.only !== 'mutants') await series('runs', 'seed', SEEDS, run)
if (values.only !== 'runs') await series('mutants', 'mutant', MUTANTS, mutantRun)
process.exitCode = proof.passed ? 0 : 1

/** Those that are missing, one after the other; each is saved when it has ended. */
async function series(part, key, names, one) {
  proof[part] = continued(values.again ? undefined : proof[part], here)
  // A run of another length is another run.
  const isIt = (name) => (result) =>
    result[key] === name && (result.seconds ?? values.seconds) === values.seconds
  for (const name of names) {
    if (proof[part].results.some(isIt(name))) say(`${key} ${name}: is there already`)
    else {
      proof[part] = withResult(proof[part], key, await one(name), names)
      save()
    }
  }
  save()
}

function save() {
  proof.passed = isPassed(proof, SEEDS, MUTANTS)
  writeFileSync(JSON_FILE, `${JSON.stringify(proof, null, 2)}\n`)
  writePage()
  execFileSync('npx', ['biome', 'format', '--write', JSON_FILE], { cwd: root, stdio: 'ignore' })
}

async function run(seed) {
  const workers = WORKERS[(seed - SEEDS[0]) % WORKERS.length]
  const loadBefore = loadavg()[0].toFixed(1)
  const flags = ['--seconds', values.seconds, '--random-seed', String(seed), '--workers', String(workers)]
  const result = await chaos(flags)
  const { verdict, counts, seen, leftToDrain, drainedInMs, deeds, undone, heldUp, findings } = result
  say(
    `seed ${seed}: ${verdict}, ${counts['jobs made']} jobs, drained in ${Math.round(drainedInMs)} ms ${result.folder ?? ''}`,
  )
  return {
    seed,
    seconds: values.seconds,
    workers,
    verdict,
    violations: findings.flatMap((finding) => finding.violations),
    faults: deeds.filter(({ failed }) => failed === undefined).length,
    undone,
    counts,
    seen,
    leftToDrain,
    drainedInMs: Math.round(drainedInMs),
    heldUp,
    loadBefore: Number(loadBefore),
  }
}

async function mutantRun(mutant) {
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
  const how = killedBy.includes(meant)
    ? 'dead by the check meant for it'
    : dead
      ? 'dead by another check'
      : 'ALIVE'
  say(`mutant ${mutant}: ${how}, ${violations.length} violations (${killedBy.join('; ')})`)
  return { mutant, mistake, meant, dead, killedBy, caughtBy, firstAfterSeconds: first }
}

function chaos(flags) {
  const child = spawn(process.execPath, [join(folder, 'test/chaos/run.js'), ...flags, '--json'], {
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
