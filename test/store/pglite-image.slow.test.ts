// A PGlite database in memory starts from an image in a cache, and is a database of its own all the same.
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { createFromImage } from '../../src/database/pglite-image.js'

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-image-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** What PGlite creates, made once: it takes seconds. */
let created: Blob
beforeAll(async () => {
  const lite = await PGlite.create()
  created = await lite.dumpDataDir('none')
  await lite.close()
})

/** Opens a new database; `started` tells from what. */
async function open(homes: readonly string[]) {
  const started: string[] = []
  const lite = await createFromImage((image) => {
    started.push(image === undefined ? 'nothing' : 'image')
    return PGlite.create({ loadDataDir: image ?? created })
  }, homes)
  onTestFinished(() => lite.close())
  const identity = await lite.query<{ id: bigint }>('select system_identifier as id from pg_control_system()')
  return { lite, started, id: String(identity.rows[0]?.id) }
}

it('the first database becomes the image, and each that starts from it has an identity and rows of its own', async () => {
  const home = join(newFolder(), 'cache')
  const first = await open([home])
  await first.lite.exec('create table left_by_first (id int)')
  const second = await open([home])
  const third = await open([home])
  expect([first.started, second.started, third.started]).toEqual([['nothing'], ['image'], ['image']])
  expect(new Set([first.id, second.id, third.id]).size).toBe(3)
  // A new segment of the WAL is written under the new identity, and read by a checkpoint.
  await second.lite.exec(
    'create table t (id int); insert into t select generate_series(1, 10000); checkpoint',
  )
  expect((await second.lite.query('select count(*)::int as n from t')).rows).toEqual([{ n: 10_000 }])
  await expect(third.lite.query('select from left_by_first')).rejects.toThrow('does not exist')
  expect(readdirSync(home)).toEqual([expect.stringMatching(/^pglite-[\d.]+\.tar\.gz$/)])
})

it('a damaged image is replaced', async () => {
  const home = newFolder()
  await open([home])
  const [name = ''] = readdirSync(home)
  const whole = readFileSync(join(home, name))
  writeFileSync(join(home, name), whole.subarray(0, whole.length / 2))
  expect((await open([home])).started).toEqual(['nothing'])
  expect((await open([home])).started).toEqual(['image'])
  expect(readdirSync(home)).toEqual([name])
})

it('an image that PGlite cannot start from is replaced', async () => {
  const home = newFolder()
  await open([home])
  const started: unknown[] = []
  const lite = await createFromImage(
    (image) => {
      started.push(image)
      return image === undefined
        ? PGlite.create({ loadDataDir: created })
        : Promise.reject(new Error('another version'))
    },
    [home],
  )
  await lite.close()
  expect(started).toEqual([expect.any(Blob), undefined])
  expect((await open([home])).started).toEqual(['image'])
})

it('without a folder that belongs to this user alone, every database is created anew', async () => {
  const shared = newFolder()
  chmodSync(shared, 0o777)
  const file = join(newFolder(), 'a-file')
  writeFileSync(file, '')
  for (const _ of [1, 2]) expect((await open([shared, join(file, 'cache')])).started).toEqual(['nothing'])
  expect(readdirSync(shared)).toEqual([])
})
