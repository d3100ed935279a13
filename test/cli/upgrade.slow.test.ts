/**
 * The drill of docs/operate/upgrades.md: the next version of the package, with one migration more, is rolled out while workers and
 * producers of this one are busy. Nothing is lost, nothing runs twice.
 */
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openStore, type Store } from 'holdfast/store'
import { expect, it, onTestFinished } from 'vitest'
import { start } from '../support/cli/long-running.js'
import { makeDatabase } from '../support/databases.js'
import { expectHealthy } from '../support/world.js'
import { ROOT } from './documents.js'
import { emptyFolder, holdfast } from './run-holdfast.js'

/** What a next release would bring: a column with a default, one that may be null, a table, an index. */
const NEXT = `alter table holdfast.job add column region text not null default 'here';
alter table holdfast.queue add column note text;
create table holdfast.job_note (job_id bigint primary key, note text not null);
create index job_note_note on holdfast.job_note (note);`

/** The built package as its next version. Returns its command line. */
function nextVersion(): string {
  const folder = emptyFolder()
  for (const part of ['dist', 'sql', 'config'])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as object
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, version: '99.0.0' }))
  writeFileSync(join(folder, 'sql', 'migrations', '0002_next.sql'), NEXT)
  return folder
}

/** Each job writes its id into a file by appending, so that a job that ran twice shows. */
function jobsOf(library: string, folder: string, ran: string): string {
  const file = join(folder, `${library.length}.mjs`)
  writeFileSync(
    file,
    `import { appendFileSync } from 'node:fs'
     import { defineJob } from ${JSON.stringify(join(library, 'dist', 'index.js'))}
     export default [defineJob({ kind: 'k', queue: 'q', handler: async ({ jobId }) => {
       await new Promise((done) => setTimeout(done, 5))
       appendFileSync(${JSON.stringify(ran)}, jobId + '\\n')
     } })]`,
  )
  return file
}

const BACKLOG = 200

/** Enqueues until it is stopped, so that there is always work; returns how many jobs were accepted. */
function produce(store: Store): () => Promise<number> {
  let accepted = 0
  let isStopped = false
  const producing = (async () => {
    while (!isStopped) {
      const [row] = await store.database.query<{ n: number }>('select count(*) as n from holdfast.ready')
      if ((row?.n ?? 0) > BACKLOG) continue
      await store.enqueueMany(Array.from({ length: 10 }, () => ({ queue: 'q', kind: 'k' })))
      accepted += 10
    }
  })()
  return async () => {
    isStopped = true
    await producing
    return accepted
  }
}

it('rolls a migration out under load: migrate, new workers, old workers end', async () => {
  const next = nextVersion()
  const cwd = emptyFolder()
  const ran = join(cwd, 'ran')
  const url = await makeDatabase()
  const env = { DATABASE_URL: url }
  const store = await openStore({ url, migrate: true, connections: 3 })
  onTestFinished(() => store.close())
  await store.queues.create('q')
  const stop = produce(store)
  const worker = (folder: string) =>
    start(['worker', jobsOf(folder, cwd, ran)], cwd, env, join(folder, 'dist', 'cli', 'main.js'))
  const endedOf = ({ lines }: ReturnType<typeof worker>) =>
    lines.filter(({ msg }) => msg === 'attempt ended').length
  const works = async (one: ReturnType<typeof worker>) => {
    const before = endedOf(one)
    await one.said(() => endedOf(one) > before + 20)
  }

  const old = worker(ROOT)
  await works(old)
  const main = join(next, 'dist', 'cli', 'main.js')
  const migrated = await holdfast(['migrate', 'up', '--json'], { env, main })
  expect(migrated, migrated.stderr).toMatchObject({ code: 0 })
  expect(JSON.parse(migrated.stdout)).toMatchObject({ applied: ['0002_next'], version: 2 })
  // Workers and producers of the old version go on; none can start any more.
  await works(old)
  expect(await holdfast(['jobs', 'list', '--json'], { env })).toMatchObject({
    code: 78,
    stderr: expect.stringContaining('"schema_ahead"'),
  })
  const fresh = worker(next)
  await works(fresh)
  old.child.kill('SIGTERM')
  const { code, stderr } = await old.end
  expect(code, stderr).toBe(0)
  const accepted = await stop()
  const counts = async () =>
    (
      await store.database.query(
        `select (select count(*)::int from holdfast.job where region = 'here') as jobs,
           (select count(*)::int from holdfast.attempt where final and outcome = 'succeeded') as succeeded,
           (select count(*)::int from holdfast.attempt where outcome <> 'released') as attempts`,
      )
    )[0] as { jobs: number; succeeded: number; attempts: number }
  while ((await counts()).succeeded < accepted);
  fresh.child.kill('SIGTERM')
  await fresh.end
  expect(await counts()).toEqual({ jobs: accepted, succeeded: accepted, attempts: accepted })
  const ids = readFileSync(ran, 'utf8').trim().split('\n')
  expect(ids).toHaveLength(accepted)
  expect(new Set(ids).size).toBe(accepted)
  await expectHealthy(store)
})
