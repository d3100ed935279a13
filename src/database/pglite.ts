/**
 * The PGlite driver: Postgres inside this process, where no server can run. It has one connection, so calls queue. It does not fsync, so its
 * data survives kill -9 but not a power cut. Two processes in one folder would lose rows, so the folder is locked. The folder is
 * accessible to its owner only, because PGlite creates world-writable files.
 */
import { dirname, resolve } from 'node:path'
import { holdfastError } from '../domain/errors/errors.js'
import { lockFolder } from '../embedded/lock.js'
import { makePath } from '../embedded/make-path.js'
import { keepOutOfGit, makePrivate } from '../embedded/private-folder.js'
import { given } from '../json/given.js'
import { type CallOptions, type Database, DEADLINES, type Session } from './database.js'
import { createFromImage } from './pglite-image.js'
import { retryCall } from './retry-call.js'
import { PGLITE_PARSERS } from './values.js'

export interface PgliteOptions {
  /** The data folder; without it, in memory only. */
  readonly dir?: string
}

/** Restricts the folder to its owner and locks it, before reading or writing in it. Returns how to unlock it. */
function openFolder(dir: string): () => void {
  makePath(dir)
  makePrivate(dir)
  keepOutOfGit(dirname(resolve(dir)))
  return lockFolder(dir)
}

export async function openPglite({ dir }: PgliteOptions = {}): Promise<Database> {
  const { PGlite } = await import('@electric-sql/pglite').catch((cause: unknown) => {
    throw holdfastError(
      'embedded_unavailable',
      { problem: 'the package @electric-sql/pglite is not installed' },
      { cause },
    )
  })
  const unlock = dir === undefined ? () => {} : openFolder(dir)
  const lite = await (dir === undefined
    ? createFromImage((from) => PGlite.create({ ...given({ loadDataDir: from }), parsers: PGLITE_PARSERS }))
    : PGlite.create({ dataDir: dir, parsers: PGLITE_PARSERS }))
  // PGlite creates world-writable files.
  if (dir !== undefined) makePrivate(dir)

  const query = <Row>(text: string, values: readonly unknown[] = [], options: CallOptions = {}) =>
    retryCall(async () => (await lite.query<Row>(text, [...values])).rows, {
      deadlineMs: options.deadlineMs ?? DEADLINES.call,
      repeatable: false,
    })

  return {
    driver: 'pglite',
    query,
    async script(text) {
      await retryCall(() => lite.exec(text), { deadlineMs: DEADLINES.migration, repeatable: false })
    },
    transaction<T>(work: (session: Session) => Promise<T>) {
      return retryCall(
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
    async listen(channel, handler) {
      const unlisten = await lite.listen(channel, (payload) => handler.received(payload))
      return { end: () => unlisten() }
    },
    async close() {
      await lite.close()
      if (dir !== undefined) makePrivate(dir)
      unlock()
    },
  }
}
