/** Which database a command speaks to: --url, else DATABASE_URL, else the embedded one. */
import type { Database } from '../store/database.js'
import { openEmbedded } from '../store/open-embedded.js'
import { openPostgres } from '../store/postgres.js'
import { CommandError, EXIT } from './failure.js'
import { mask } from './mask.js'
import type { Context } from './program.js'

export interface Connected {
  readonly database: Database
  /** For people; without a password. */
  readonly name: string
  readonly notes: string[]
  close(): Promise<void>
}

export function urlFrom(flag: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  // `DATABASE_URL=` in an .env file means: none.
  const url = flag ?? (env.DATABASE_URL || undefined)
  if (url === undefined || /^postgres(ql)?:\/\/./i.test(url)) return url
  throw new CommandError({
    code: 'url_invalid',
    message: `${flag === undefined ? 'DATABASE_URL' : '--url'} is not the address of a Postgres.`,
    remedy:
      'Write it as postgres://user@host:5432/database, with the password after the user if there is one.',
    exitCode: flag === undefined ? EXIT.config : EXIT.usage,
  })
}

export async function connect(flag: string | undefined, { env, terminal }: Context): Promise<Connected> {
  const url = urlFrom(flag, env)
  if (url !== undefined) {
    const database = openPostgres({ url, connections: 1, applicationName: 'holdfast cli' })
    return { database, name: mask(url), notes: [], close: database.close }
  }
  terminal.passing('starting the embedded database …')
  const embedded = await openEmbedded({ share: true, connections: 1 })
  const name = `the embedded database in ${embedded.folder}`
  return { database: embedded.database, name, notes: embedded.notes, close: embedded.close }
}
