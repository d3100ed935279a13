import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { openPostgres, openStore } from 'holdfast/store'
import { expect, it, onTestFinished } from 'vitest'
import { postgresUrl } from '../support/world.js'
import { emptyFolder, holdfast } from './run-holdfast.js'

/** A schema name nobody uses, dropped after the test, and the flags that point to it. */
function newSchema() {
  const schema = `t_${randomBytes(6).toString('hex')}`
  const database = openPostgres({ url: postgresUrl(), connections: 1 })
  onTestFinished(async () => {
    await database.script(`set client_min_messages = error; drop schema if exists ${schema} cascade`)
    await database.close()
  })
  return { schema, database, flags: ['--url', postgresUrl(), '--schema', schema] }
}

it('status says what is missing, up makes it, status agrees, and a second up changes nothing', async () => {
  const { schema, flags } = newSchema()
  const before = await holdfast(['migrate', 'status', ...flags])
  expect(before.code).toBe(0)
  expect(before.stdout).toMatch(/version +0 of \d+/)
  expect(before.stdout).toContain('holdfast migrate up')

  const up = await holdfast(['migrate', 'up', ...flags])
  expect(up).toMatchObject({ code: 0, stderr: '' })
  expect(up.stdout).toContain('0001_baseline')

  const after = JSON.parse((await holdfast(['migrate', 'status', '--json', ...flags])).stdout)
  expect(after).toMatchObject({ schema, state: 'current', pending: [], functions: 'current' })
  const again = JSON.parse((await holdfast(['migrate', 'up', '--json', ...flags])).stdout)
  expect(again).toMatchObject({ applied: [], version: after.version })
})

it('a newer package applies only the migrations that are new, and the older one then refuses to start', async () => {
  const { schema, database, flags } = newSchema()
  const { version: latest } = JSON.parse((await holdfast(['migrate', 'up', '--json', ...flags])).stdout)
  const added = `${String(latest + 1).padStart(4, '0')}_added`
  const newer = newerPackage(added, 'create table holdfast.added (id int primary key);')
  const status = JSON.parse((await newer(['migrate', 'status', '--json', ...flags])).stdout)
  expect(status).toMatchObject({ state: 'behind', version: latest, latest: latest + 1, pending: [added] })
  const up = JSON.parse((await newer(['migrate', 'up', '--json', ...flags])).stdout)
  expect(up).toMatchObject({ applied: [added], version: latest + 1, functions: 'current' })
  const applied = await database.query(`select version, name from ${schema}.migration order by version`)
  expect(applied[0]).toEqual({ version: 1, name: '0001_baseline' })
  expect(applied.at(-1)).toEqual({ version: latest + 1, name: added })
  await expect(openStore({ url: postgresUrl(), schema })).rejects.toMatchObject({ code: 'schema_ahead' })
})

it('takes the database from DATABASE_URL, and prefers --url', async () => {
  const { schema } = newSchema()
  const unreachable = 'postgres://nobody@127.0.0.1:1/none'
  const flags = ['migrate', 'status', '--json', '--schema', schema]
  const fromEnv = await holdfast(flags, { env: { DATABASE_URL: postgresUrl() } })
  expect(JSON.parse(fromEnv.stdout)).toMatchObject({ state: 'missing' })
  const fromFlag = await holdfast([...flags, '--url', postgresUrl()], { env: { DATABASE_URL: unreachable } })
  expect(JSON.parse(fromFlag.stdout)).toMatchObject({ state: 'missing' })
})

it('sql prints a script that a database owner can apply, after which the library is content', async () => {
  const { schema, database, flags } = newSchema()
  const { code, stdout, stderr } = await holdfast(['migrate', 'sql', ...flags])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  await database.script(stdout)
  const status = JSON.parse((await holdfast(['migrate', 'status', '--json', ...flags])).stdout)
  expect(status).toMatchObject({ state: 'current', functions: 'current' })
  const store = await openStore({ url: postgresUrl(), schema, connections: 1 })
  onTestFinished(() => store.close())
  expect((await store.enqueue({ queue: 'q', kind: 'k' })).jobId).toBe(1)
})

it('sql needs no database at all to print the script for a new one', async () => {
  const folder = emptyFolder()
  const { code, stdout } = await holdfast(['migrate', 'sql', '--json'], { cwd: folder })
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    schema: 'holdfast',
    sql: expect.stringContaining('create schema'),
  })
})

it('refuses a schema that a later version made, with exit code 78 and what to do', async () => {
  const { schema, database, flags } = newSchema()
  await holdfast(['migrate', 'up', ...flags])
  await database.query(`insert into ${schema}.migration values (9999, '9999_future', now(), '99.0.0')`)
  const up = await holdfast(['migrate', 'up', '--json', ...flags])
  expect(up.code).toBe(78)
  expect(JSON.parse(up.stderr)).toMatchObject({
    code: 'schema_ahead',
    remedy: expect.stringContaining('newer'),
  })
  const status = await holdfast(['migrate', 'status', '--json', ...flags])
  expect(JSON.parse(status.stdout)).toMatchObject({ state: 'ahead', version: 9999 })
})

it('exits 78, and shows no password, when the server does not let us in', async () => {
  const url = new URL(postgresUrl())
  url.password = 'hunter2'
  const { code, stderr, stdout } = await holdfast(['migrate', 'status', '--json', '--url', url.href])
  expect(code).toBe(78)
  expect(JSON.parse(stderr)).toMatchObject({ code: 'database_refused' })
  expect(stdout + stderr).not.toContain('hunter2')
})

it('shows no password when all is well either', async () => {
  const { flags } = newSchema()
  const { password } = new URL(postgresUrl())
  const { stdout, stderr } = await holdfast(['migrate', 'status', ...flags])
  expect(stdout).toContain(':***@')
  expect(stdout + stderr).not.toContain(password)
})

it('refuses what is not the address of a Postgres: 2 for the flag, 78 for the environment', async () => {
  const flag = await holdfast(['migrate', 'up', '--url', 'mysql://me:hunter2@host/db'])
  expect(flag).toMatchObject({ code: 2, stderr: expect.stringContaining('--url') })
  const env = await holdfast(['migrate', 'up'], { env: { DATABASE_URL: 'hunter2' } })
  expect(env).toMatchObject({ code: 78, stderr: expect.stringContaining('DATABASE_URL') })
  expect(flag.stderr + env.stderr).not.toContain('hunter2')
})

it('refuses a schema name that cannot be used, with exit code 78', async () => {
  const { code, stderr } = await holdfast([
    'migrate',
    'up',
    '--json',
    '--url',
    postgresUrl(),
    '--schema',
    'Bad Name',
  ])
  expect(code).toBe(78)
  expect(JSON.parse(stderr).code).toBe('schema_name_invalid')
})

/** The built package with one migration more, as a function that runs its command line. */
function newerPackage(name: string, migration: string) {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  // Inside the repository, so that it finds the dependencies; git ignores the folder.
  mkdirSync(join(root, '.holdfast'), { recursive: true })
  const folder = mkdtempSync(join(root, '.holdfast', 'newer-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const part of ['dist', 'sql', 'config', 'package.json'])
    cpSync(join(root, part), join(folder, part), { recursive: true })
  writeFileSync(join(folder, 'sql', 'migrations', `${name}.sql`), migration)
  return (args: string[]) =>
    promisify(execFile)(process.execPath, [join(folder, 'dist/cli/main.js'), ...args])
}
