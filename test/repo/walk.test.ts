// docs/internals/walk.md lists the files that a plain job passes. This holds the list to the code: each file exists and is called by one
// before it, no file that one of them imports is missing, the counts are right, and the way does not grow.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { sqlFunctions } from '../../src/database/sql-files.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (file: string) => readFileSync(join(root, file), 'utf8')

const FILES_MAX = 30
const CLAIM_FILES_MAX = 10

const page = read('docs/internals/walk.md')
/** The text below a heading, up to the next one. */
const section = (title: string) => page.split(/^## /m).find((text) => text.startsWith(`${title}\n`)) ?? ''
const linked = (text: string) =>
  [...text.matchAll(/^\| \[((?:src|sql)\/\S+)\]/gm)].map(([, file = '']) => file)
const quoted = (text: string) => [...text.matchAll(/`(src\/\S+\.ts)`/g)].map(([, file = '']) => file)

const claim = linked(section('Claim'))
const walk = linked(page)
const wiring = quoted(section('Wiring'))
const helpers = quoted(section('Helpers'))
const sqlHelpers = [...(section('Helpers').split('**SQL:**')[1] ?? '').matchAll(/`(\w+)`/g)].map(
  ([, name = '']) => name,
)

/** Files that a TypeScript file imports as values: types leave nothing at run time. */
function importsOf(file: string): string[] {
  return [...read(file).matchAll(/^(?:import|export)\s+(?!type\b)([^;]*?)\bfrom '(\.[^']+)'/gms)]
    .filter(([, names = '']) => !isOnlyTypes(names))
    .map(([, , path = '']) => posix.join(dirname(file), path).replace(/\.js$/, '.ts'))
}

function isOnlyTypes(names: string): boolean {
  const listed = /\{([^}]*)\}/.exec(names)?.[1]
  if (listed === undefined || !names.trim().startsWith('{')) return false
  const each = listed.split(',').map((name) => name.trim())
  return each.every((name) => name === '' || name.startsWith('type '))
}

/** SQL functions that a file creates, and those it calls. */
const created = (file: string) =>
  [...read(file).matchAll(/create or replace function holdfast\.(\w+)/g)].map(([, name = '']) => name)
const calls = (file: string, name: string) => new RegExp(`holdfast\\.${name}\\s*\\(`).test(read(file))

it('every file of the walk, the wiring and the helpers exists, and none is listed twice', () => {
  const all = [...walk, ...wiring, ...helpers]
  expect(all.filter((file) => !existsSync(join(root, file)))).toEqual([])
  expect(all.filter((file, n) => all.indexOf(file) !== n)).toEqual([])
})

it(`the walk has at most ${FILES_MAX} files, and the claim at most ${CLAIM_FILES_MAX}`, () => {
  expect(walk.length).toBeGreaterThan(15)
  expect(walk.length).toBeLessThanOrEqual(FILES_MAX)
  expect(claim.length).toBeGreaterThan(4)
  expect(claim.length).toBeLessThanOrEqual(CLAIM_FILES_MAX)
})

it('each file of the walk is imported or called by a file before it, or connected by the wiring', () => {
  const follows = (file: string, n: number) => {
    const earlier = walk.slice(0, n)
    if (file.endsWith('.sql'))
      return created(file).some((name) => earlier.some((before) => calls(before, name)))
    const importers = [...earlier.filter((before) => before.endsWith('.ts')), ...wiring]
    return importers.some((importer) => importsOf(importer).includes(file))
  }
  expect(walk.filter((file, n) => n > 0 && !follows(file, n))).toEqual([])
})

it('the wiring hangs together from the first file of the walk', () => {
  const [first = ''] = walk
  const reached = new Set([first])
  for (let before = 0; before < reached.size; ) {
    before = reached.size
    for (const file of [...reached])
      for (const next of importsOf(file)) if (wiring.includes(next)) reached.add(next)
  }
  expect(wiring.filter((file) => !reached.has(file))).toEqual([])
})

/** Imported by files of the walk for jobs that are not plain, or for what is no part of a job's way. Each with its reason. */
const NOT_PASSED: Record<string, string> = {
  'src/domain/errors/errors.ts': 'only where something is refused',
  'src/domain/limits.ts': 'constants',
  'src/domain/give-way.ts': 'slices large batches',
  'src/domain/states/states.ts': 'constants',
  'src/domain/kinds.ts': 'jobs with a key or target',
  'src/database/database-errors.ts': 'only where a call fails',
  'src/worker/retry-timer.ts': 'the backoff after a failed call',
  'src/worker/outcomes.ts': 'Snooze, GiveUp and Cancel',
  'src/app/transaction.ts': 'transactions of a caller',
  'src/database/database.ts': 'the interface of a database, and constants',
  'src/database/lock-waits.ts': 'jobs with a key',
  'src/database/schema.ts': 'renders statements for another schema name',
  'src/domain/port.ts': 'the interfaces of a worker, and constants',
  'src/database/package.ts': 'the version of the package, read at start',
  'src/domain/nearest.ts': 'refuses unknown options, at start',
  'src/domain/system-kinds.ts': 'constants',
  'src/webhooks/webhooks.ts': 'webhooks of alerts',
  'src/app/cancel-job.ts': 'jobs that cancel others',
  'src/app/upkeep-loop.ts': 'upkeep',
  'src/app/declare-kinds.ts': 'at start',
  'src/app/declare-queues.ts': 'at start',
  'src/app/declare-schedules.ts': 'at start',
  'src/app/processes.ts': 'workers in several processes',
  'src/store/job-commands.ts': 'publish',
  'src/presets/presets.ts': 'jobs that name a preset',
  'src/database/notification-connection.ts': 'the connection that listens, opened at start',
  'src/database/tenant-query.ts': 'calls that the database restricts to a tenant',
  'src/worker/isolate/isolates.ts': 'handlers in threads of their own',
  'src/worker/job-log.ts': 'handlers that log',
  'src/domain/measure.ts': 'handlers that measure their calls',
  'src/domain/trace-context.ts': 'jobs that were enqueued in a trace',
}

it('no file that a file of the walk imports is left out', () => {
  const listed = new Set([...walk, ...wiring, ...helpers, ...Object.keys(NOT_PASSED)])
  const importers = new Map<string, string[]>()
  for (const file of walk.filter((each) => each.endsWith('.ts')))
    for (const imported of importsOf(file))
      importers.set(imported, [...(importers.get(imported) ?? []), file])
  const missing = [...importers].filter(([file]) => !listed.has(file))
  expect(missing.map(([file, by]) => `${file}, imported by ${by.join(' and ')}`)).toEqual([])
  expect(Object.keys(NOT_PASSED).filter((file) => !importers.has(file))).toEqual([])
})

it('the page counts its files: those with a step of their own, and all that a job touches', () => {
  expect(sqlHelpers.filter((name) => !sqlFunctions().has(name))).toEqual([])
  const all = walk.length + wiring.length + helpers.length + sqlHelpers.length
  expect(page.replace(/\s+/g, ' ')).toContain(
    `A plain job takes ${walk.length} steps, a file each; with ${wiring.length} files of wiring, ` +
      `${helpers.length} helpers in TypeScript and ${sqlHelpers.length} in SQL it touches ${all} modules.`,
  )
})

it('the reading order of ARCHITECTURE.md names files of the walk', () => {
  const order = /^## Reading order\n([\s\S]*?)^## /m.exec(read('ARCHITECTURE.md'))?.[1] ?? ''
  const files = [...order.matchAll(/\]\(((?:src|sql)\/[^)]+)\)/g)].map(([, file = '']) => file)
  expect(files.length).toBeGreaterThan(5)
  // The model of the states and the tables are what the walk moves through.
  const ground = ['src/domain/states/transition.ts', 'sql/migrations/0001_baseline.sql']
  expect(files.filter((file) => !walk.includes(file) && !ground.includes(file))).toEqual([])
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([])
})

it('the folder table of ARCHITECTURE.md has every folder', () => {
  const table = read('ARCHITECTURE.md')
  const folders = ['src', 'sql'].flatMap((parent) =>
    readdirSync(join(root, parent), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => `${parent}/${entry.name}`),
  )
  expect(folders.filter((folder) => !table.includes(`| \`${folder}`))).toEqual([])
})
