// node bench/run.js <suite> [--quick | --smoke] [--only id,id]
//
// Prints a table and writes bench/results/<suite>.json. With --only the other cells of that file stay as they are; each cell
// says in which mode, when and of which commit it was measured.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { endChildren } from './launch.js'
import { commitFacts, machineFacts } from './machine.js'
import { openProgress } from './progress.js'
import { readResults, writeResults } from './results-file.js'
import { SIZES } from './sizes.js'
import { tableOf } from './table.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const SUITES = {
  engine: () => import('./cells/engine.js'),
  runtime: () => import('./cells/runtime.js'),
  http: () => import('./cells/http.js'),
}

/** Something the caller can put right; a stack would only hide it. */
class Refused extends Error {}

const USAGE = `usage: node bench/run.js <${Object.keys(SUITES).join(' | ')}> [--quick | --smoke] [--only id,id]`

function readArguments() {
  const { values, positionals } = parsed()
  const [suite] = positionals
  if (values.help || !SUITES[suite]) throw new Refused(USAGE)
  return { suite, sizes: SIZES[values.smoke ? 'smoke' : values.quick ? 'quick' : 'full'], ...values }
}

function parsed() {
  const flag = { type: 'boolean', default: false }
  const options = { quick: flag, smoke: flag, help: flag, only: { type: 'string' } }
  try {
    return parseArgs({ allowPositionals: true, options })
  } catch (error) {
    throw new Refused(`${error.message}\n${USAGE}`)
  }
}

/** Which cells to measure; a name nobody knows is an error, not silence. */
function wantedIds(groups, only) {
  const known = groups.flatMap(({ ids }) => ids)
  if (only === undefined) return new Set(known)
  const asked = only.split(',').map((id) => id.trim())
  const unknown = asked.filter((id) => !known.includes(id))
  if (unknown.length > 0)
    throw new Refused(`no cell is called ${unknown.join(', ')}; there are ${known.join(', ')}`)
  return new Set(asked)
}

function checkInstalled() {
  if (!existsSync(new URL('node_modules/pg', import.meta.url))) {
    throw new Refused('the bench is not installed: run scripts/provision, or npm ci --prefix bench')
  }
  if (!existsSync(new URL('../dist/index.js', import.meta.url))) {
    execFileSync(process.execPath, [`${root}scripts/build.js`], { cwd: root, stdio: 'inherit' })
  }
}

async function openEnvironment({ sizes, progress }) {
  const { startServer } = await import('./server.js')
  const { startRedis } = await import('./redis.js')
  const server = await startServer()
  const env = { server, sizes, progress }
  try {
    env.redis = await startRedis()
  } catch (error) {
    env.redisProblem = error.message
    progress.line(error.message)
  }
  return env
}

async function measure(env, groups, wanted) {
  const results = { cells: [], beside: [] }
  for (const group of groups) {
    if (!group.ids.some((id) => wanted.has(id))) continue
    const { cells, beside = [] } = await group.run(env, wanted)
    results.cells.push(...cells)
    results.beside.push(...beside)
  }
  return results
}

/** What was measured now replaces what stood there under the same ids; the order is always that of the suite. */
function merged(path, fresh, order) {
  const old = readResults(path)
  if (old === undefined) return fresh
  const replace = (before, now) => [...before.filter(({ id }) => !now.some((cell) => cell.id === id)), ...now]
  const cells = replace(old.cells, fresh.cells).sort((a, b) => order.indexOf(a.id) - order.indexOf(b.id))
  return { ...fresh, cells, beside: replace(old.beside, fresh.beside) }
}

async function main() {
  const { suite, sizes, only } = readArguments()
  checkInstalled()
  const { GROUPS } = await SUITES[suite]()
  const wanted = wantedIds(GROUPS, only)
  const progress = openProgress()
  const env = await openEnvironment({ sizes, progress })
  let interrupted = false
  const onSignal = (signal) => {
    interrupted = true
    endChildren()
    Promise.allSettled([env.redis?.stop(), env.server.stop()]).then(() =>
      process.exit(signal === 'SIGINT' ? 130 : 143),
    )
  }
  process.once('SIGINT', onSignal)
  process.once('SIGTERM', onSignal)
  try {
    const { cells, beside } = await measure(env, GROUPS, wanted)
    progress.close()
    // Half a measurement must not replace a whole one; the signal's handler ends the process.
    if (interrupted) return
    const { commit, dirty } = commitFacts()
    const machine = { ...machineFacts(), postgres: env.server.version, redis: env.redis?.version ?? null }
    const stamp = (entry) => ({ ...entry, commit, dirty, node: machine.node })
    const settings = { postgres: env.server.settings, redis: (await import('./redis.js')).REDIS_SETTINGS }
    const fresh = { machine, commit, dirty, settings, cells: cells.map(stamp), beside: beside.map(stamp) }
    const folder = new URL('results/', import.meta.url)
    mkdirSync(folder, { recursive: true })
    const file = fileURLToPath(new URL(`${suite}${sizes.mode === 'smoke' ? '.smoke' : ''}.json`, folder))
    const order = GROUPS.flatMap(({ ids }) => ids)
    const results = only === undefined ? fresh : merged(file, fresh, order)
    writeResults(file, results)
    console.log(tableOf({ cells, beside }))
  } finally {
    await env.redis?.stop()
    await env.server.stop()
  }
}

try {
  await main()
} catch (error) {
  endChildren()
  console.error(error instanceof Refused ? error.message : error)
  process.exitCode = 1
}
