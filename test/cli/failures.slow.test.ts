// What a user meets on a bad day: each with a sentence, a remedy and an exit code that a script can tell apart.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { findEmbedded } from 'holdfast/embedded'
import { describe, expect, it, onTestFinished } from 'vitest'
import { moduleFolder, start } from '../support/cli/long-running.js'
import { makeDatabase, makeUser, open, urlOf } from '../support/databases.js'
import { freshStore, postgresUrl } from '../support/world.js'
import { emptyFolder, holdfast } from './run-holdfast.js'

/** Starts a command that goes on until it is ended; resolves when it has said this. */
async function started(word: string, args: string[], cwd: string) {
  const run = start(args, cwd)
  await run.said(({ msg }) => msg === word)
  return run
}

async function listening(onSocket: (socket: Socket) => void, port = 0): Promise<Server> {
  const server = createServer(onSocket)
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
  })
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return server
}

const portOf = (server: Server) => (server.address() as { port: number }).port

async function refused(args: string[], options: Parameters<typeof holdfast>[1] = {}) {
  const { code, stdout, stderr } = await holdfast([...args, '--json'], options)
  expect(stdout).toBe('')
  return { exit: code, ...(JSON.parse(stderr) as { code: string; message: string; remedy: string }) }
}

describe('a database that does not answer', () => {
  it('is tried again until it does', async () => {
    const { schema } = await freshStore()
    const real = new URL(postgresUrl())
    let tries = 0
    const server = await listening((socket) => {
      tries += 1
      if (tries <= 3) return void socket.destroy()
      const upstream = connect(Number(real.port), real.hostname)
      upstream.on('error', () => socket.destroy())
      socket.on('close', () => upstream.destroy())
      socket.pipe(upstream).pipe(socket)
    })
    const url = new URL(real)
    url.hostname = '127.0.0.1'
    url.port = String(portOf(server))
    const args = ['worker', 'jobs.mjs', '--url', url.href, '--schema', schema]
    const { child, end } = await started('working', args, moduleFolder())
    expect(tries).toBeGreaterThan(3)
    child.kill('SIGTERM')
    expect(await end).toMatchObject({ code: 0 })
  })

  it('ends in 69 when its time is over, which is 30 s unless somebody says otherwise', async () => {
    const cwd = moduleFolder()
    const url = 'postgres://me@127.0.0.1:1/db'
    const { stdout } = await holdfast(['config', 'print', '--json'], { cwd })
    expect(JSON.parse(stdout).config).toContainEqual(
      expect.objectContaining({ key: 'database.wait_seconds', value: 30 }),
    )
    const env = { HOLDFAST_DATABASE_WAIT_SECONDS: '0', DATABASE_URL: url }
    for (const args of [['up'], ['worker', 'jobs.mjs'], ['migrate', 'up'], ['jobs', 'list']])
      expect(await refused(args, { cwd, env }), args.join(' ')).toMatchObject({
        exit: 69,
        code: 'unavailable',
        remedy: expect.stringContaining('DATABASE_URL'),
      })
  })
})

describe('a database that will not do', () => {
  it('a Postgres before 15 is 78, with its version', async () => {
    const url = await makeDatabase()
    // Ours is too new to be refused, so it says it is older: what a search path finds first.
    await open(url).script(`create schema older;
      create function older.current_setting(text) returns text language sql as
        $$ select case $1 when 'server_version_num' then '140011' when 'server_version' then '14.11' else pg_catalog.current_setting($1) end $$;
      alter database ${new URL(url).pathname.slice(1)} set search_path = older, pg_catalog;`)
    const cwd = moduleFolder()
    for (const args of [['migrate', 'up'], ['up'], ['worker', 'jobs.mjs'], ['jobs', 'list']])
      expect(await refused([...args, '--url', url], { cwd }), args.join(' ')).toMatchObject({
        exit: 78,
        code: 'postgres_too_old',
        message: expect.stringContaining('14.11'),
        remedy: expect.stringContaining('15'),
      })
  })

  it('one that is not UTF-8 is 78, with the statement that makes one', async () => {
    const url = await makeDatabase(`encoding 'SQL_ASCII' locale 'C' template template0`)
    for (const args of [['migrate', 'up'], ['up']])
      expect(await refused([...args, '--url', url]), args.join(' ')).toMatchObject({
        exit: 78,
        code: 'not_utf8',
        remedy: expect.stringContaining("encoding 'UTF8'"),
      })
  })

  it('one we may not create a schema in is 78, with the grant to ask for', async () => {
    const user = await makeUser()
    const url = urlOf({ user }, await makeDatabase())
    for (const args of [['migrate', 'up'], ['up']])
      expect(await refused([...args, '--url', url]), args.join(' ')).toMatchObject({
        exit: 78,
        code: 'create_privilege_missing',
        message: expect.stringContaining(user),
        remedy: expect.stringContaining('grant create on database'),
      })
  })

  const at = (schema: string) => ['--url', postgresUrl(), '--schema', schema]

  it('one without the schema is 78, with the command that makes it', async () => {
    const cwd = moduleFolder()
    for (const args of [
      ['worker', 'jobs.mjs'],
      ['jobs', 'list'],
    ])
      expect(await refused([...args, ...at('not_there')], { cwd }), args.join(' ')).toMatchObject({
        exit: 78,
        code: 'schema_missing',
        remedy: expect.stringContaining('holdfast migrate up'),
      })
  })

  it('one with the schema of a later version is 78', async () => {
    const cwd = moduleFolder()
    const { schema, database } = await freshStore()
    await database.query(
      'update holdfast.migration set version = 9999 where version = (select max(version) from holdfast.migration)',
    )
    for (const args of [['worker', 'jobs.mjs'], ['up']])
      expect(await refused([...args, ...at(schema)], { cwd }), args.join(' ')).toMatchObject({
        exit: 78,
        code: 'schema_ahead',
        remedy: expect.stringMatching(/newer/),
      })
  })
})

describe('a machine that will not do', () => {
  it('a folder that cannot be written is 78, with the variable that names another', async () => {
    const cwd = emptyFolder()
    writeFileSync(join(cwd, 'file'), '')
    mkdirSync(join(cwd, 'locked'))
    chmodSync(join(cwd, 'locked'), 0o555)
    // Whoever is root may write everywhere but into a file.
    const folders = process.getuid?.() === 0 ? ['file/folder'] : ['file/folder', 'locked/folder']
    for (const folder of folders)
      expect(await refused(['up'], { cwd, env: { HOLDFAST_FOLDER: folder } }), folder).toMatchObject({
        exit: 78,
        code: 'folder_not_writable',
        remedy: expect.stringContaining('HOLDFAST_FOLDER'),
      })
  })

  it('a port of the embedded database that somebody else has taken is changed for another, which a second terminal finds', async () => {
    const cwd = emptyFolder()
    const dir = join(cwd, '.holdfast', 'pg')
    const first = await started('up', ['up'], cwd)
    const before = new URL((await findEmbedded({ dir }))?.url ?? '').port
    first.child.kill('SIGTERM')
    expect(await first.end).toMatchObject({ code: 0 })
    await listening((socket) => socket.destroy(), Number(before))
    const second = await started('up', ['up'], cwd)
    const after = new URL((await findEmbedded({ dir }))?.url ?? '').port
    expect(after).not.toBe(before)
    expect(await holdfast(['queues', 'list'], { cwd })).toMatchObject({ code: 0 })
    second.child.kill('SIGTERM')
    expect(await second.end).toMatchObject({ code: 0 })
  })

  it('an old Node is 78 with one sentence, before anything is loaded that it does not understand', async () => {
    const older = `Object.defineProperty(process.versions, 'node', { value: '18.20.4' })`
    const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(older)}` }
    const { code, stdout, stderr } = await holdfast(['up'], { env })
    expect({ code, stdout }).toEqual({ code: 78, stdout: '' })
    expect(stderr).toBe(
      'Holdfast needs Node 20.19 or later; this is Node 18.20.4. Install a newer version from https://nodejs.org.\n',
    )
  })
})
