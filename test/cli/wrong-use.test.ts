// Wrong invocations of the command line, as newcomers make them: each ends with its documented exit code, a sentence that says what is wrong,
// and one that says what to do. Modules that cannot be imported are in wrong-modules.slow.test.ts, because they need a process of their own.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serve } from '../support/http.js'
import { freshStore, postgresUrl } from '../support/world.js'
import { holdfast } from './run-holdfast.js'

/** The command line, the exit code, what is said about the mistake, what is said to do. `PORT` is a port in use. */
type Row = readonly [line: string, exit: number, message: RegExp, remedy: RegExp]

let folder = ''
let listener: Server

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-wrong-'))
  mkdirSync(join(folder, 'full'))
  for (const [name, text] of Object.entries({
    'half.json': '{"a":',
    'a-file': '',
    'full/package.json': '{}',
    'jobs.mjs': '',
    'broken.toml': '[database\nurl = 1',
    'unknown.toml': '[workers]\nmax_coutn = 3',
    'section.toml': '[worker]\nmax_count = 3',
    'type.toml': '[workers]\nmax_count = "many"',
    'fewer.toml': '[workers]\ndefault_count = 5\nmax_count = 2',
  }))
    writeFileSync(join(folder, name), text)
  listener = createServer()
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
})

afterAll(() => {
  listener.close()
  rmSync(folder, { recursive: true })
})

/** Words, of which those in single quotes may have spaces. */
const wordsOf = (line: string) =>
  [...line.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) =>
    (quoted ?? word).replace('PORT', String((listener.address() as AddressInfo).port)),
  )

async function expectRefusal([line, exit, message, remedy]: Row, env: Record<string, string>): Promise<void> {
  const args = wordsOf(line)
  // All of them fail before they would stay up, so they need no process of their own.
  const { code, stdout, stderr } = await holdfast(args, { cwd: folder, env, ownProcess: false })
  expect({ code, stdout }, stderr).toEqual({ code: exit, stdout: '' })
  const [, said = '', todo = ''] = /^error {2}(.*)\ndo {5}(.*)\n$/s.exec(stderr) ?? []
  expect(said).toMatch(message)
  expect(todo).toMatch(remedy)
  // Sentences for people: no stack, no internals, nothing that was not filled in.
  expect(said.split('\n')[0]).toMatch(/^.+[.?!]$/)
  expect(todo).toMatch(/^[A-Z`].+\.$/)
  expect(stderr).not.toMatch(/\n\s+at |undefined|\[object|null value|bug in Holdfast/)
}

describe('a command line that cannot be read', () => {
  const ROWS: readonly Row[] = [
    ['frobnicate', 2, /There is no command "frobnicate"/, /`holdfast --help`/],
    ['migrat', 2, /"migrat"\. Did you mean migrate\?/, /`holdfast --help`/],
    ['jobs lst', 2, /"lst"\. Did you mean list\?/, /`holdfast jobs --help`/],
    ['jobs list --stat failed', 2, /no flag --stat\. Did you mean --state\?/, /`holdfast jobs list --help`/],
    ['migrate up --server http://localhost:1', 2, /no flag --server/, /`holdfast migrate up --help`/],
    ['jobs show', 2, /argument <id> is missing/, /`holdfast jobs show \[options\] <id>`/],
    ['jobs show 1 2', 2, /2 arguments were given; 1 fit/, /`holdfast jobs show \[options\] <id>`/],
    ['kinds show welcome', 2, /2 arguments were given; 0 fit/, /`holdfast kinds \[options\]`/],
    ['worker', 2, /argument <modules> is missing/, /`holdfast worker \[options\] <modules\.\.\.>`/],
    ['keys create ci', 2, /--scope <scopes\.\.\.> is required/, /`holdfast keys create --help`/],
    ['bulk retry', 2, /--search <text> is required/, /`holdfast bulk retry --help`/],
    ['jobs list --state', 2, /--state needs a value/, /`holdfast jobs list --help`/],
    ['jobs list --limit ten', 2, /^--limit cannot be "ten"\..*from 1 to 500/, /jobs list --help/],
    ['jobs list --limit 501', 2, /^--limit cannot be "501"\..*from 1 to 500/, /jobs list --help/],
    ['enqueue mail hello --delay soon', 2, /--delay cannot be "soon".*whole number/, /enqueue --help/],
    ['enqueue mail hello --priority 101', 2, /--priority cannot be "101".*from 0 to 100/, /enqueue --help/],
    ['settings set STALE_DAYS x', 2, /<value> cannot be "x".*whole number/, /settings set --help/],
    ['worker jobs.mjs --concurrency 0', 2, /--concurrency cannot be "0".*from 1 to 1000/, /worker --help/],
    ['worker jobs.mjs --concurrency 3 --max 5', 2, /sets both --min and --max/, /either --concurrency, or/],
    ['worker jobs.mjs --lease 10x', 2, /--lease must be a whole number from 1 to 86400/, /Correct the value/],
    ['worker jobs.mjs --tenants a:1', 2, /--tenants must be .* like acme=1/, /Correct the value/],
    ['worker missing.mjs', 2, /no file missing\.mjs/, /path of a JavaScript module/],
    ['stats --window 2h', 2, /--window cannot be "2h"\. Allowed choices are 15m, 1h, 24h\./, /stats --help/],
    [
      'completion tcsh',
      2,
      /<shell> cannot be "tcsh"\. Allowed choices are bash, zsh, fish\./,
      /completion --help/,
    ],
    ['jobs show abc', 2, /"abc" is not the id of a job/, /`holdfast jobs list`/],
    ['jobs retry 1 1.5', 2, /"1\.5" is not the id of a job/, /`holdfast jobs list`/],
    ['jobs list --state broken', 2, /no state "broken"/, /one of pending, .*failed/],
    ['jobs cancel 1 --if-state runing', 2, /no state "runing"\. Did you mean "running"\?/, /one of pending/],
    [
      "jobs list --search 'stat:failed'",
      2,
      /no field "stat"\. Did you mean state\?.*\^{4}/s,
      /docs\/search\.md/,
    ],
    [
      "bulk retry --search 'stat:failed'",
      2,
      /no field "stat"\. Did you mean state\?.*\^{4}/s,
      /docs\/search\.md/,
    ],
    ["enqueue mail hello '{bad'", 2, /input is not JSON/, /in single quotes/],
    [
      `enqueue mail hello '{"id":9007199254740993}'`,
      2,
      /too large to be exact; send it as text: 9007199254740993/,
      /Write "9007199254740993"/,
    ],
    ['enqueue mail hello @none.json', 2, /Cannot read none\.json/, /path after the @/],
    ['enqueue mail hello @half.json', 2, /input is not JSON/, /Correct the file half\.json/],
    [
      'enqueue mail hello --preset harvets',
      2,
      /^--preset must be .* Did you mean "harvest"\?/,
      /Correct the value/,
    ],
    ['keys create ci --scope raed', 2, /no scope "raed"/, /enqueue, work, read, operate, admin/],
    ['items export', 2, /No queue or job is given/, /either --queue or --job/],
    ['items export --queue mail --job 1', 2, /exclude each other/, /either --queue or --job/],
    ['audit --since tomorow', 2, /"tomorow" is not a time/, /like 2030-01-01T00:00:00Z/],
    ['top', 2, /needs a terminal/, /--once .* or --json/],
    ['server --port 70000', 2, /--port must be a whole number from 0 to 65535/, /Correct the value/],
    ["server --base-path 'a b'", 2, /--base-path must be a path like \/ops\/jobs/, /Correct the value/],
    [
      'jobs list --server localhost',
      2,
      /--server is not the address of a server/,
      /like http:\/\/localhost:8080/,
    ],
    [
      'jobs list --server http://localhost:1 --url postgres://h/d',
      2,
      /exclude each other/,
      /only one of them/,
    ],
    ['conformance', 2, /No server given/, /--server or HOLDFAST_SERVER/],
    ['sqs status', 2, /No SQS queue is configured/, /--sqs, or set sqs\.queue_url/],
    ['init a-file', 2, /a-file is a file/, /path of a folder/],
    ["init new --name 'x y'", 2, /"x y" is not a name for npm/, /--name my-app/],
    ['init full', 1, /already has 1 file of the app: package\.json/, /keep them with --keep/],
  ]

  it.each(ROWS)('holdfast %s: exit code %i', (...row) => expectRefusal(row, { DATABASE_URL: postgresUrl() }))
})

describe('a configuration that cannot be used', () => {
  const ROWS: readonly (readonly [Row, Record<string, string>])[] = [
    [['config print --config none.toml', 78, /no file none\.toml/, /Correct the path of --config/], {}],
    [['config print --config broken.toml', 78, /broken\.toml:1:10 is not TOML/, /Correct the file/], {}],
    [
      [
        'config print --config unknown.toml',
        78,
        /Did you mean "workers\.max_count"\?/,
        /`holdfast config print`/,
      ],
      {},
    ],
    [
      [
        'config print --config section.toml',
        78,
        /unknown section or key "worker"\. Did you mean "workers"\?/,
        /The sections are \[database\], \[workers\]/,
      ],
      {},
    ],
    [
      [
        'config print --config type.toml',
        78,
        /must be a whole number from 1 to 1000, not "many"/,
        /Correct the value/,
      ],
      {},
    ],
    [['config print --config fewer.toml', 78, /max_count is 2 .* less than/, /Raise workers\.max_count/], {}],
    [
      ['config print', 78, /Did you mean HOLDFAST_WORKERS_MAX_COUNT\?/, /Correct the name/],
      { HOLDFAST_WORKERS_MAX_COUTN: '3' },
    ],
    [
      ['config print', 78, /PORT must be a whole number from 0 to 65535/, /Correct the value/],
      { PORT: '99999' },
    ],
    [['config print', 78, /LOG_LEVEL must be one of silent/, /Correct the value/], { LOG_LEVEL: 'loud' }],
    [
      ['jobs list', 78, /DATABASE_URL must be an address like postgres/, /Correct the value/],
      { DATABASE_URL: 'localhost:5432/db' },
    ],
    [
      ['jobs list', 78, /DATABASE_URL must be .* percent-encoded/, /Correct the value/],
      { DATABASE_URL: 'postgres://me:sec/ret@db.example/shop' },
    ],
    [
      ['jobs list', 78, /DATABASE_URL must be .* percent-encoded/, /Correct the value/],
      { DATABASE_URL: 'postgres://me:sec#ret@db.example:5432/shop' },
    ],
    [['jobs list', 78, /DATABASE_URL is not set/, /`holdfast up`.* or set DATABASE_URL/], {}],
    [
      ['jobs list', 78, /POSTGRES_URL is set, and Holdfast reads DATABASE_URL/, /Set DATABASE_URL/],
      { POSTGRES_URL: 'postgres://me:secret@h/d' },
    ],
    [
      ['migrate up', 78, /with NODE_ENV=production none is started/, /Set DATABASE_URL/],
      { NODE_ENV: 'production' },
    ],
    [
      ['migrate status', 69, /cannot be reached: .*ECONNREFUSED/, /DATABASE_URL/],
      { DATABASE_URL: 'postgres://me@127.0.0.1:1/d', HOLDFAST_DATABASE_WAIT_SECONDS: '0' },
    ],
    [
      ['queues list', 2, /HOLDFAST_SERVER is not the address of a server/, /like http:/],
      { HOLDFAST_SERVER: 'jobs.internal' },
    ],
    [
      ['server', 78, /HOLDFAST_ADMIN_KEY must be text of 16/, /Correct the value/],
      { HOLDFAST_ADMIN_KEY: 'short' },
    ],
  ]

  const cases = ROWS.map(([row, env]) => ({ line: row[0], names: Object.keys(env).join(' '), row, env }))
  it.each(cases)('holdfast $line, $names', ({ row, env }) => expectRefusal(row, env))

  it('a database that does not exist, and a schema that is not installed, are named', async () => {
    const nowhere = new URL(postgresUrl())
    nowhere.pathname = '/no_such_database'
    const missing: Row = [
      'jobs list',
      78,
      /"no_such_database" does not exist/,
      /database name in DATABASE_URL/,
    ]
    await expectRefusal(missing, { DATABASE_URL: nowhere.href })
    const DATABASE_URL = postgresUrl()
    await expectRefusal(['jobs list --schema nowhere', 78, /"nowhere" is not installed/, /migrate up/], {
      DATABASE_URL,
    })
    await expectRefusal(['jobs list --schema No-Where', 78, /cannot be used/, /lower-case letters/], {
      DATABASE_URL,
    })
  })
})

describe('what the database refuses', () => {
  const ROWS: readonly Row[] = [
    ['jobs show 99999', 1, /There is no job 99999/, /Check the id/],
    ['jobs retry 1', 1, /queued: it cannot be retried/, /`holdfast jobs explain`/],
    ['jobs list --queue mial', 1, /no queue "mial"/, /`holdfast queues list`/],
    ['jobs list --after x', 1, /at \/after: is not a cursor/, /Correct the value and run/],
    [
      "enqueue 'bad name' hello",
      1,
      /at \/queue: must consist of letters, digits/,
      /Correct the value and run/,
    ],
    [
      'enqueue mail hello --at tomorrow',
      1,
      /at \/runAt: must be a time with a zone, like/,
      /Correct the value/,
    ],
    ['queues pause mial', 1, /no queue "mial"/, /`holdfast queues list`/],
    ['queues remove mail', 1, /has jobs that have not ended/, /Let its jobs end or cancel them/],
    ['queues create mail --preset crawl', 1, /exists already/, /Change the policy|choose another name/],
    ["queues update mail --policy '{x'", 2, /^--policy must be JSON, like/, /Correct the value/],
    [`queues update mail --policy '{"maxRetires":3}'`, 1, /Did you mean "maxRetries"\?/, /Correct the value/],
    [
      `queues update mail --policy '{"maxRetries":"3"}'`,
      1,
      /whole number from 0 to 1000/,
      /Correct the value/,
    ],
    ["schedules create a '* * *' --kind k", 1, /there are 3 fields; cron has five/, /Correct the value/],
    [
      "schedules create a '61 * * * *' --kind k",
      1,
      /"61" is no minute; it must be 0 to 59/,
      /Correct the value/,
    ],
    [
      "schedules create a '0 9 * * *' --kind k --tz Europe/Lodnon",
      1,
      /no time zone "Europe\/Lodnon"/,
      /Correct the value/,
    ],
    ["schedules create a '0 9 * * *'", 2, /needs the kind of its jobs/, /--kind sweep/],
    ['schedules show nightly', 1, /no schedule "nightly"/, /`holdfast schedules list`/],
    ['schedules pause', 2, /either a schedule or --all/, /or give --all/],
    ['workers drain ghost', 1, /no worker ghost/, /`holdfast workers`/],
    ['upkeep run prun', 1, /no chore "prun"\. Did you mean "prune"\?/, /`holdfast upkeep list`/],
    [
      'settings set STALE_DAY 3',
      1,
      /no setting "STALE_DAY"\. Did you mean "STALE_DAYS"\?/,
      /`holdfast settings list`/,
    ],
    ['settings get nope', 1, /^There is no setting "nope"\.$/, /`holdfast settings list`/],
    ['keys revoke 99', 1, /no key 99/, /`holdfast keys list`/],
    ['alerts show 9', 1, /no alert 9/, /`holdfast alerts list --all`/],
    ['webhooks add ops not-a-url', 1, /not allowed for a webhook/, /Use https and a public address/],
    ['webhooks remove 7', 1, /no webhook 7/, /`holdfast webhooks list`/],
    ['errors show zzz', 1, /no group of errors "zzz"/, /`holdfast errors`/],
    ['bulk show 9', 1, /no bulk operation 9/, /`holdfast bulk list`/],
    ['items export --queue mial', 1, /no queue "mial"/, /`holdfast queues list`/],
    ['server --port PORT', 78, /Port \d+ is in use/, /--port .* `lsof -i :\d+`/],
    ['dashboard --port PORT', 78, /Port \d+ is in use/, /--port .* `lsof -i :\d+`/],
    ['server --host 0.0.0.0', 78, /reachable at 0\.0\.0\.0 without an API key/, /`holdfast keys create root/],
  ]

  it.each(ROWS)('holdfast %s: exit code %i', async (...row) => {
    const store = await freshStore()
    await store.enqueue({ queue: 'mail', kind: 'hello' })
    await expectRefusal(row, { DATABASE_URL: postgresUrl(), HOLDFAST_SCHEMA: store.schema })
  })
})

describe('what a server refuses', () => {
  it('a wrong key, a missing scope, a server that is read-only, and one that is not there', async () => {
    const store = await freshStore()
    const { url: readOnly } = await serve(store, { readOnly: true })
    const write: Row = ['enqueue mail hello', 1, /server is read-only/, /without `--read-only`/]
    await expectRefusal(write, { HOLDFAST_SERVER: readOnly })
    const { secret } = await store.keys.create({ name: 'reader', scopes: ['read'], tenant: 'default' })
    const { url } = await serve(store)
    const wrong: Row = ['queues list', 1, /needs a valid key/, /`holdfast keys create`/]
    await expectRefusal(wrong, { HOLDFAST_SERVER: url, HOLDFAST_KEY: 'hf_wrong' })
    const scope: Row = [
      'enqueue mail hello',
      1,
      /lacks the scope of the call: "enqueue"/,
      /`holdfast keys list`/,
    ]
    await expectRefusal(scope, { HOLDFAST_SERVER: url, HOLDFAST_KEY: secret })
    const gone: Row = ['healthcheck', 1, /is not ready/, /`holdfast doctor`/]
    await expectRefusal(gone, { HOLDFAST_SERVER: 'http://127.0.0.1:49151' })
  })
})
