// Imports a large file in one job, with progress; after a crash the next attempt resumes at the cursor.
// Use it when a job runs for minutes or hours, and starting over is too expensive.
// Run it: npm run example -- recipes/import-file [file.csv]   (lines of "id,email"; without a file it makes one)
import { accessSync, createReadStream, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { defineJob, holdfast } from 'holdfast'

/** The lines from a byte of the file on, each with the byte that the next one begins at. */
async function* linesFrom(file: string, start: number) {
  let next = start
  let rest = Buffer.alloc(0)
  for await (const chunk of createReadStream(file, { start })) {
    rest = Buffer.concat([rest, chunk as Buffer])
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
      next += end + 1
      yield { line: rest.toString('utf8', 0, end).trimEnd(), next }
      rest = rest.subarray(end + 1)
    }
  }
  if (rest.length > 0) yield { line: rest.toString('utf8'), next: next + rest.length }
}

const importFile = defineJob({
  kind: 'import-file',
  queue: 'imports',
  key: '{file}',
  handler: async (ctx, { file }: { file: string }) => {
    const bytes = statSync(file).size
    const start = (ctx.cursor as { byte: number } | null)?.byte ?? 0
    let rows: string[][] = []
    for await (const { line, next } of linesFrom(file, start)) {
      rows.push(line.split(','))
      if (rows.length < 500 && next < bytes) continue
      ctx.signal.throwIfAborted()
      // A crash between these two repeats one batch, and "on conflict" makes that harmless.
      await app.store.database.query(
        'insert into contacts select * from unnest($1::int[], $2::text[]) on conflict do nothing',
        [rows.map(([id]) => id), rows.map(([, email]) => email)],
      )
      await ctx.report([], { byte: next })
      await ctx.progress({ percent: Math.round((100 * next) / bytes) })
      rows = []
    }
    return `attempt ${ctx.attempt} imported bytes ${start} to ${bytes}`
  },
})

const sample = join(tmpdir(), 'holdfast-contacts.csv')
writeFileSync(sample, Array.from({ length: 20_000 }, (_, n) => `${n},user${n}@example.org\n`).join(''))
const file = resolve(process.argv[2] ?? sample)
accessSync(file)

const app = await holdfast({ migrate: true, jobs: [importFile] })
await app.store.database.script(
  'create table if not exists contacts (id int primary key, email text not null)',
)
await app.work({ leaseMs: 5_000 })
console.log(await (await app.enqueue(importFile, { file })).result())
await app.stop()
