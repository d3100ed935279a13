/**
 * The PGlite driver: Postgres inside this process, for where no server can run. One connection, so calls queue up; it does not
 * fsync, so it survives kill -9 but not a power cut; and two processes in one folder would lose rows, so we lock the folder.
 * Its folder is for its owner alone, because it makes files that everybody may write to.
 */
import { dirname, resolve } from 'node:path'
import { holdfastError } from '../domain/errors.js'
import { given } from '../domain/given.js'
import { type CallOptions, type Database, DEADLINES, type Session } from './database.js'
import { lockFolder } from './embedded/lock.js'
import { makePath } from './embedded/make-path.js'
import { keepOutOfGit, makePrivate } from './embedded/private-folder.js'
import { persist } from './persist.js'
import { PGLITE_PARSERS } from './values.js'

export interface PgliteOptions {
  /** Where the data lives; without it, in memory only. */
  readonly dir?: string
  /** A database dumped earlier (PGlite's dumpDataDir) to begin with, which takes a third of the time of a new one. For tests. */
  readonly from?: Blob
}

/** Closed to others before anything of it is read or written. Answers how to let go of it. */
function openFolder(dir: string): () => void {
  makePath(dir)
  makePrivate(dir)
  keepOutOfGit(dirname(resolve(dir)))
  return lockFolder(dir)
}

export async function openPglite({ dir, from }: PgliteOptions = {}): Promise<Database> {
  const { PGlite } = await import('@electric-sql/pglite').catch((cause: unknown) => {
    throw holdfastError(
      'embedded_unavailable',
      { problem: 'the package @electric-sql/pglite is not installed' },
      { cause },
    )
  })
  const unlock = dir === undefined ? () => {} : openFolder(dir)
  const lite = await PGlite.create({
    ...given({ dataDir: dir, loadDataDir: from }),
    parsers: PGLITE_PARSERS,
  })
  // It makes files that everybody may write to.
  if (dir !== undefined) makePrivate(dir)

  const query = <Row>(text: string, values: readonly unknown[] = [], options: CallOptions = {}) =>
    persist(async () => (await lite.query<Row>(text, [...values])).rows, {
      deadlineMs: options.deadlineMs ?? DEADLINES.call,
      repeatable: false,
    })

  return {
    driver: 'pglite',
    query,
    async script(text) {
      await persist(() => lite.exec(text), { deadlineMs: DEADLINES.migration, repeatable: false })
    },
    transaction<T>(work: (session: Session) => Promise<T>) {
      return persist(
        () =>
          lite.transaction((tx) =>
            work({
              query: async <Row>(text: string, values: readonly unknown[] = []) =>
                (await tx.query<Row>(text, [...values])).rows,
              script: async (text) => {
                await tx.exec(text)
              },
            }),
          ) as Promise<T>,
        { deadlineMs: DEADLINES.call, repeatable: false },
      )
    },
    async listen(channel, ear) {
      const unlisten = await lite.listen(channel, (payload) => ear.heard(payload))
      return { end: () => unlisten() }
    },
    async close() {
      await lite.close()
      if (dir !== undefined) makePrivate(dir)
      unlock()
    },
  }
}
