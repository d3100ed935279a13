// The rules of this repository that a reader would otherwise have to watch over. Each failure names the file.
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { sqlFunctions } from '../../src/database/sql-files.js'
import { verbs } from '../support/sql.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Made, fetched or kept by tools: not ours to look at. */
const NOT_OURS = ['node_modules', '.git', '.holdfast', 'dist', 'coverage']

function filesIn(folder: string, ending = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name)
    if (NOT_OURS.includes(entry.name)) return []
    if (entry.isDirectory()) return filesIn(path, ending)
    return entry.isFile() && entry.name.endsWith(ending) ? [path] : []
  })
}

const text = (file: string) => readFileSync(join(root, file), 'utf8')
const lines = (file: string) => text(file).trimEnd().split('\n')

/** Every place where a pattern occurs, as `file:line: text`. */
function places(files: string[], pattern: RegExp): string[] {
  return files.flatMap((file) =>
    lines(file).flatMap((line, n) => (pattern.test(line) ? [`${file}:${n + 1}: ${line.trim()}`] : [])),
  )
}

const source = filesIn('src', '.ts')
const tests = filesIn('test', '.ts')
const sql = filesIn('sql', '.sql').filter((file) => file !== 'sql/schema.sql')
const functionFiles = sql.filter((file) => /^sql\/functions\//.test(file))

describe('imports point one way', () => {
  /** For each folder the ones it may rest on; its own is always allowed. */
  const BELOW: Record<string, string[]> = {
    json: [],
    embedded: [],
    domain: ['json'],
    // Policies and state words, which the layers above need; endpoints of presets are further down.
    presets: ['json', 'domain'],
    // The search grammar; it also runs in browsers.
    search: ['domain'],
    handles: ['json', 'domain'],
    config: ['json', 'domain'],
    contract: ['json', 'domain', 'search', 'presets'],
    client: ['json', 'domain', 'search', 'presets', 'handles', 'contract'],
    database: ['json', 'domain', 'embedded'],
    doctor: ['json', 'domain', 'database'],
    store: ['json', 'domain', 'search', 'presets', 'handles', 'embedded', 'database'],
    worker: ['json', 'domain'],
    telemetry: ['domain', 'presets'],
    webhooks: ['domain', 'store'],
    triggers: ['domain', 'store'],
    app: [
      ...['json', 'domain', 'presets', 'handles', 'config', 'database', 'store', 'worker'],
      ...['client', 'telemetry', 'webhooks'],
    ],
    server: [
      ...['json', 'domain', 'search', 'presets', 'handles', 'contract', 'database', 'doctor', 'store'],
      ...['telemetry', 'triggers', 'webhooks'],
    ],
    // Routes of presets are made of parts of the server, and app.ts mounts them beside its own: it stands above both.
    'preset endpoints': ['json', 'domain', 'presets', 'contract', 'store', 'server'],
    'server/app.ts': [
      ...['json', 'domain', 'search', 'presets', 'handles', 'contract', 'database', 'doctor', 'store'],
      ...['telemetry', 'triggers', 'webhooks', 'server', 'preset endpoints'],
    ],
  }
  const below = Object.keys(BELOW)
  /** The faces of the package gather what is underneath; the command line stands on everything. */
  const FACES = [
    'index.ts',
    'testing.ts',
    'embedded.ts',
    'server.ts',
    'dashboard.ts',
    'client.ts',
    'metrics.ts',
    'sqs.ts',
    'jobs.ts',
    'store.ts',
    'config.ts',
    'webhooks.ts',
  ]
  const MAY: Record<string, string[]> = { ...BELOW, cli: [...below, ...FACES] }
  for (const face of FACES) MAY[face] = below

  const part = (file: string) => {
    if (/^src\/server\/(app|mounted-dashboard)\.ts$/.test(file)) return 'server/app.ts'
    if (/^src\/presets\/(?!(\w+\/preset|preset|presets|state-words)\.ts$)/.test(file))
      return 'preset endpoints'
    return file.split('/')[1] ?? ''
  }
  const imports = (file: string) =>
    [...text(file).matchAll(/(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"]+)['"]/g)].map(([, name]) => name ?? '')

  it('every folder of src has its place in the order', () => {
    expect([...new Set(source.map(part))].sort()).toEqual(Object.keys(MAY).sort())
  })

  it('no file imports from a folder that stands above its own', () => {
    const upward = source.flatMap((file) =>
      imports(file)
        .filter((name) => name.startsWith('.'))
        .map((name) => posix.join(dirname(file), name).replace(/\.js$/, '.ts'))
        .filter((target) => part(target) !== part(file) && !MAY[part(file)]?.includes(part(target)))
        .filter((target) => target.startsWith('src/'))
        .map((target) => `${file} imports ${target}`),
    )
    expect(upward).toEqual([])
  })

  it('only the store knows the drivers of the database', () => {
    const drivers = source
      .filter((file) => part(file) !== 'database' && part(file) !== 'embedded')
      .flatMap((file) => imports(file).map((name) => `${file} imports ${name}`))
      .filter((line) => / imports (pg|@electric-sql\/pglite)(\/|$)/.test(line))
    expect(drivers).toEqual([])
  })
})

describe('size and names', () => {
  it('no file of src, sql or test is longer than 400 lines', () => {
    const long = [...source, ...sql, ...tests]
      .filter((file) => file !== BASELINE)
      .map((file) => ({ file, lines: lines(file).length }))
      .filter(({ lines }) => lines > 400)
    expect(long).toEqual([])
  })

  it('no function of src is longer than 60 lines', () => {
    const functions = source.filter((file) => !ONLY_DATA.test(file)).flatMap((file) => functionsOf(file))
    expect(functions.length).toBeGreaterThan(source.length)
    expect(functions.filter((each) => each.lines > 60)).toEqual([])
  })

  it('no file under 40 lines has one importer without a reason', () => {
    const importers = new Map<string, number>()
    for (const file of [...source, ...filesIn('dashboard/src', '.ts'), ...filesIn('dashboard/src', '.tsx')])
      for (const imported of new Set(importedBy(file)))
        importers.set(imported, (importers.get(imported) ?? 0) + 1)
    const small = source.filter((file) => lines(file).length < 40 && importers.get(file) === 1)
    const reasonOf = (file: string) => SMALL.find(([pattern]) => pattern.test(file))
    expect(small.filter((file) => reasonOf(file) === undefined)).toEqual([])
    const used = new Set(small.map(reasonOf))
    expect(SMALL.filter((each) => !used.has(each)).map(([pattern]) => String(pattern))).toEqual([])
  })

  it('nothing is named after what it happens to be instead of what it is for', () => {
    const vague = /^(utils?|helpers?|common|misc|lib|types)$/
    const named = [...source, ...sql, ...tests, ...filesIn('scripts')].filter((file) =>
      file.split('/').some((name) => vague.test(basename(name).split('.')[0] ?? '')),
    )
    expect(named).toEqual([])
  })
})

describe('tests', () => {
  it('never sleep', () => {
    const naps = /\bsleep\(|\bsetTimeout\(.*\b\d{3,}|\bsetTimeout\(.*\d_\d{3}/
    expect(
      places(
        tests.filter((file) => !file.endsWith('tidy.test.ts')),
        naps,
      ),
    ).toEqual([])
  })

  it('are all run', () => {
    expect(places(tests, /\b(it|test|describe)\b[.\w]*\.(skip|only|todo|skipIf|runIf|fails)\b/)).toEqual([])
    expect(places(tests, /\bx(it|describe)\(/)).toEqual([])
  })

  it('say how long they wait: the default of one second is too short for a busy machine', () => {
    const waits = tests.flatMap((file) =>
      [...text(file).matchAll(/\bvi\.wait(For|Until)\(/g)]
        .filter(({ index, 0: call }) => countArguments(text(file).slice(index + call.length)) < 2)
        .map(({ index }) => `${file}: ${text(file).slice(index, index + 80)}`),
    )
    expect(waits).toEqual([])
  })
})

/** Of a call, given what follows its opening parenthesis. */
function countArguments(code: string): number {
  let depth = 0
  let commas = 0
  const bare = code.replace(/'[^'\n]*'|`[^`]*`/g, '')
  for (const [mark] of bare.matchAll(/[([{}\])]|,(?!\s*\))/g)) {
    if ('([{'.includes(mark)) depth += 1
    else if (mark !== ',') depth -= 1
    else if (depth === 0) commas += 1
    if (depth < 0) break
  }
  return commas + 1
}

describe('SQL', () => {
  it('no line is longer than 110 columns', () => {
    expect(places(sql, /^.{111,}$/)).toEqual([])
  })

  it('each file of functions defines the function it is named after, first or last', () => {
    const others = functionFiles.filter((file) => {
      const made = [...text(file).matchAll(/^create\b.*$/gim)].map(
        ([line]) => /^create or replace function holdfast\.(\w+)\(/.exec(line)?.[1],
      )
      const own = basename(file, '.sql')
      return made.includes(undefined) || (made[0] !== own && made.at(-1) !== own)
    })
    expect(others).toEqual([])
  })

  it('what else a file defines is called only from its own room, unless it is a tool for all of them', () => {
    const made = functionFiles.flatMap((file) =>
      namesIn(file).map((name) => ({ name, file, room: roomOf(file) })),
    )
    const calls = functionFiles.map((file) => ({ room: roomOf(file), called: callsIn(text(file)) }))
    const lent = made
      .filter(({ name, file }) => name !== basename(file, '.sql') && !isVerb.has(name))
      .filter(({ room }) => !TOOLS.includes(room))
      .filter(({ name, room }) => calls.some((call) => call.room !== room && call.called.has(name)))
    expect(lent.map(({ name }) => name).sort()).toEqual(LENT)
  })

  it('each file of views defines the one view it is named after', () => {
    const others = sql
      .filter((file) => file.startsWith('sql/views/'))
      .filter((file) => {
        const made = [...text(file).matchAll(/^create\b.*$/gim)].map(([line]) => line)
        return (
          made.length !== 1 ||
          !made[0]?.startsWith(`create or replace view holdfast.${basename(file, '.sql')} `)
        )
      })
    expect(others).toEqual([])
  })

  it('every function says where it looks for names, so that no caller can slip in its own', () => {
    const loose = [...sqlFunctions()]
      .filter(([, { text }]) => !/^set search_path = pg_catalog, pg_temp$/m.test(text))
      .map(([name]) => name)
    expect(loose.filter((name) => !MAY_BE_INLINED.includes(name))).toEqual([])
    expect(MAY_BE_INLINED.filter((name) => !loose.includes(name))).toEqual([])
  })

  it('every function that makes a job claimable also tells external triggers of it', () => {
    const silent = [...sqlFunctions()]
      .filter(([, { body }]) => body.includes('insert into holdfast.ready'))
      .filter(([, { body }]) => !body.includes('insert into holdfast.outbox'))
      .map(([name]) => name)
    expect(silent).toEqual([])
  })

  it('planner settings stand in pins.sql and nowhere else', () => {
    expect(places(functionFiles, /^set (?!search_path = |lock_timeout = )/)).toEqual([])
  })

  it('nobody asks for all columns of a verb, which would break sessions at work when one is added', () => {
    // What is internal changes together with its callers, in one migration.
    const everything = new RegExp(
      `\\bselect\\s+(\\w+\\.)?\\*\\s+from\\s+holdfast\\.(${verbs().join('|')})\\s*\\(`,
      'i',
    )
    expect([...source, ...sql].filter((file) => everything.test(text(file)))).toEqual([])
  })

  it('no text but the name of a table or sequence begins like the schema, which is replaced where it has another name', () => {
    expect(places(sql, /(?<!(nextval|to_regclass)\()'holdfast\.(?!\w+'::regclass)/)).toEqual([])
  })
})

it('nothing in the repository knows the machine it was written on', () => {
  const paths = /(^|[\s'"`(=:])[/](root|work|workspace|home[/]\w+|Users[/]\w+)[/]|"resolved": "htt[p]/
  expect(places(filesIn(''), paths)).toEqual([])
})

/** Files of this repository that a file imports, or loads by their address, as a thread does. */
function importedBy(file: string): string[] {
  return [...text(file).matchAll(/(?:\bfrom|\bimport|new URL)\s*\(?\s*['"](\.[^'"]+)['"]/g)].map(
    ([, name = '']) => posix.join(dirname(file), name).replace(/\.js$/, '.ts'),
  )
}

/** Files under 40 lines with one importer, each with the reason why it is not a part of the importer. */
const SMALL: readonly (readonly [files: RegExp, reason: string])[] = [
  [/^src\/metrics\.ts$/, 'a subpath of the package'],
  [/^src\/contract\//, 'the endpoints of one subject, beside those of the others; routes implement them'],
  [/^src\/presets\/\w+\/preset\.ts$/, 'one preset, beside its state words and endpoints'],
  [/^src\/presets\/routes\.ts$/, 'the layers below import presets without their endpoints'],
  [/^src\/cli\/(jobs|schedules)\/\w+\.ts$/, 'a command with subcommands, in the folder of these'],
  [/^src\/cli\/completion\/completion\.ts$/, 'the command, beside the scripts of the shells'],
  [/^src\/cli\/node-version\.ts$/, 'runs before any dependency is loaded'],
  [/^src\/server\/routes\/docs\.ts$/, 'the routes of one subject, beside those of the others'],
  [/^src\/server\/dashboard\/page\.ts$/, 'reads the built page; the route only sends it'],
  [/^src\/server\/access\/seal\.ts$/, 'a cached answer of the database; its importer only wires the server'],
  [/^src\/app\/chores\/fire\.ts$/, 'one chore with a state of its own, beside the table of chores'],
  [/^src\/app\/triggered-port\.ts$/, 'a port of its own; its importer only chooses between ports'],
  [/^src\/domain\/priorities\.ts$/, 'a public constant of the domain; the front door only exports'],
  [/^src\/domain\/stats\/versions\.ts$/, 'a decision without a database; its importer only reads rows'],
  [/^src\/embedded\/exit\.ts$/, 'one listener for all servers of a process'],
  [/^src\/store\/port\.ts$/, 'the heartbeat thread loads it as its own module'],
  [/^src\/store\/bulk\/matching-jobs\.ts$/, 'the search behind a bulk operation, without its states'],
  [/^src\/store\/search\/suggest\.ts$/, 'the statements of completion, apart from those of the search'],
  [/^src\/worker\/isolate\/isolate-parent\.ts$/, 'a thread loads it as its own module'],
]

const namesIn = (file: string) =>
  [...text(file).matchAll(/^create or replace function holdfast\.(\w+)\(/gm)].map(([, name]) => name ?? '')
const roomOf = (file: string) => basename(dirname(file))
const isVerb = new Set(verbs())

/** The functions that a file calls, its comments aside. */
function callsIn(sql: string): Set<string> {
  const code = sql.replace(/^\s*--.*$|^create or replace function .*$/gm, '')
  return new Set([...code.matchAll(/\bholdfast\.(\w+)\(/g)].map(([, name]) => name ?? ''))
}

/** Rooms of small functions that every room may call. */
const TOOLS = ['base', 'limits']

/** Helpers that stand with their subject although a function of another room calls them too. */
const LENT = [
  ...[
    'count_versions',
    'histogram',
    'is_blameless',
    'make_room',
    'progress_of',
    'promote_due_work',
    'promote_jobs',
    'prune_alerts',
    'ready_fronts',
    'unraised_since',
  ],
  'upkeep_asleep',
  'with_kinds',
]

/** All tables of the first release in one script, which a database owner reads and applies as a whole. */
const BASELINE = 'sql/migrations/0001_baseline.sql'

/** Pure and called once a row: a setting of their own would keep Postgres from inlining them. They name their schemas in full. */
const MAY_BE_INLINED = [
  ...[
    'all_levels',
    'backoff_ms',
    'is_blameless',
    'job_fits',
    'level_of',
    'new_lease_id',
    'next_state',
    'now',
  ],
  'tokens_at',
]

/** Cases written as data: calls that list things, which look like functions from here. */
const ONLY_DATA = /^src\/(cli\/conformance\/(claims|endings|leases|others)|domain\/stats\/problems)\.ts$/

/**
 * Functions and methods with their length, by indentation: the formatter puts the closing brace under the line that opened the
 * function, also when its parameters take several lines.
 */
function functionsOf(file: string): { function: string; lines: number }[] {
  const all = lines(file)
  const opens =
    /^\s*(export |default |async |static |private |readonly |get |set )*(function\b|(?!if|for|while|switch|catch|return\b)#?\w+(<.*>)?\(|.*=>\s*\{$|.*=>$)/
  return all.flatMap((line, start) => {
    if (!opens.test(line) || !/(\{|\(|=>)$/.test(line)) return []
    const indent = /^\s*/.exec(line)?.[0] ?? ''
    const end = all.findIndex(
      (later, n) => n > start && later.startsWith(`${indent}}`) && !later.trimEnd().endsWith('{'),
    )
    return end < 0 ? [] : [{ function: `${file}:${start + 1} ${line.trim()}`, lines: end - start + 1 }]
  })
}
