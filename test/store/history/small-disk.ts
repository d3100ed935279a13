/**
 * A Postgres on a disk that gets full. As root it is a real one: a small tmpfs with the whole data folder on it and a ballast file
 * that is taken away to make room. Without the right to mount, a trigger on `job` raises what Postgres raises then.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from 'holdfast/embedded'
import { openStore, type Store } from 'holdfast/store'
import { onTestFinished } from 'vitest'
import { freshStore } from '../../support/world.js'

const MB = 2 ** 20
const DISK_MB = 256
const BALLAST_MB = 48

export interface SmallDisk {
  readonly store: Store
  readonly real: boolean
  /** Nothing more can be written, if the disk can be measured. */
  freeBytes(): number
  makeRoom(): Promise<void>
}

export async function storeOnSmallDisk(): Promise<SmallDisk> {
  const folder = mountSmall()
  return folder === undefined ? pretended() : real(folder)
}

function mountSmall(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'small-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m,mode=0755`, 'small-disk', folder], {
      stdio: 'ignore',
    })
  } catch {
    rmdirSync(folder)
    return undefined
  }
  onTestFinished(() => {
    execFileSync('umount', [folder])
    rmdirSync(folder)
  })
  chmodSync(folder, 0o755)
  return folder
}

async function real(folder: string): Promise<SmallDisk> {
  const ballast = join(folder, 'ballast')
  writeFileSync(ballast, Buffer.alloc(BALLAST_MB * MB, 1))
  // As many segments of WAL as there will ever be: a segment that cannot be made stops the server, which is another failure.
  const wal = { min_wal_size: '80MB', max_wal_size: '80MB' }
  // Looking for what is wrong must not need room on the disk itself.
  const settings = { ...wal, work_mem: '64MB', shared_buffers: '16MB', autovacuum: 'off' }
  const server = await startEmbedded({ dir: join(folder, 'pg'), settings })
  onTestFinished(() => server.stop())
  // Done before the server is stopped, which writes a last word.
  onTestFinished(() => rmSync(ballast, { force: true }))
  const store = await openStore({ url: server.url, migrate: true, connections: 4 })
  onTestFinished(() => store.close())
  for (let segment = 0; segment < 6; segment += 1) {
    await store.database.script(
      'create table wal_filler as select generate_series(1, 200000) as n; drop table wal_filler',
    )
    await store.database.script('select pg_switch_wal()')
    await store.database.script('checkpoint')
  }
  return {
    store,
    real: true,
    freeBytes: () => {
      const { bavail, bsize } = statfsSync(folder)
      return bavail * bsize
    },
    makeRoom: async () => rmSync(ballast),
  }
}

async function pretended(): Promise<SmallDisk> {
  const store = await freshStore()
  await store.database.script(`
    create function holdfast.disk_is_full() returns trigger language plpgsql as $$
    begin
      if (select count(*) from holdfast.job) > 500 then
        raise exception using errcode = '53100', message = 'could not extend file: No space left on device';
      end if;
      return null;
    end $$;
    create trigger disk_is_full after insert on holdfast.job for each statement execute function holdfast.disk_is_full()`)
  return {
    store,
    real: false,
    freeBytes: () => 0,
    makeRoom: () => store.database.script('drop trigger disk_is_full on holdfast.job'),
  }
}
