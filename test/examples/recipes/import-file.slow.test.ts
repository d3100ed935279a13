// The recipe import-file: killed in the middle of the file, and run again.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { blockWith, printedBy, type RecipeDatabase, recipeDatabase, startRecipe } from './recipe.js'

const ROWS = 10_000
/** Of the file, by line: ids from 1 on, some characters of several bytes, both kinds of line ends, no end of the last line. */
const lines = Array.from(
  { length: ROWS },
  (_, n) => `${n + 1},${n % 3 === 0 ? 'jürgen' : 'ada'}${n}@example.org`,
)
const contents = lines
  .map((line, n) => (n === ROWS - 1 ? line : `${line}${n % 2 === 0 ? '\n' : '\r\n'}`))
  .join('')
const STUCK_AT = 6_200

function file(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-import-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'contacts.csv')
  writeFileSync(path, contents)
  return path
}

const imported = async (database: RecipeDatabase) =>
  (await database.rows<{ id: number; email: string }>('select id, email from contacts order by id')).map(
    ({ id, email }) => `${id},${email}`,
  )

it('a process that is killed in the middle of the file is continued at its cursor, and the table has each line once', async () => {
  const database = await recipeDatabase()
  const path = file()
  await database.rows('create table contacts (id int primary key, email text not null)')
  // An insert of the same id waits until it is known whether this one commits.
  const blocker = await blockWith(database, `insert into contacts values (${STUCK_AT}, 'not committed')`)
  const killed = startRecipe('import-file', database, [path])
  await blocker.reached()
  killed.child.kill('SIGKILL')
  expect(await killed.ended).toBe(null)
  await blocker.release()
  const [job] = (await database.store.list.jobs({ kind: 'import-file' })).rows
  const resumeAt = contents.indexOf('6001,')
  const before = Buffer.byteLength(contents.slice(0, resumeAt))
  const bytes = Buffer.byteLength(contents)
  expect(await database.store.read.job(job?.id as number)).toMatchObject({
    lastCursor: { byte: before },
    progress: { percent: Math.round((100 * before) / bytes) },
  })

  expect(await printedBy('import-file', database, [path])).toEqual([
    `attempt 2 imported bytes ${before} to ${bytes}`,
  ])
  expect(await imported(database)).toEqual(lines)
})

it('without a crash it is one attempt from the first byte to the last', async () => {
  const database = await recipeDatabase()
  expect(await printedBy('import-file', database, [file()])).toEqual([
    `attempt 1 imported bytes 0 to ${Buffer.byteLength(contents)}`,
  ])
  expect(await imported(database)).toEqual(lines)
})

it('a file that does not exist is refused before a job is made', async () => {
  const database = await recipeDatabase()
  const recipe = startRecipe('import-file', database, ['no-such-file.csv'])
  expect(await recipe.ended).toBe(1)
  expect(recipe.lines.join('\n')).toContain('no such file or directory')
  expect(await database.rows('select id from holdfast.jobs')).toEqual([])
})
