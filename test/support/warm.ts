/**
 * Databases that a test gives back and the next test of the same process gets, emptied, with their connections open. A new copy costs
 * 60 ms, and every new session plans each function again; together that is most of what a small test takes.
 *
 * A database is given back only if nothing but rows has changed: no other session is connected, and the catalog is as it was made.
 * Otherwise it is dropped. `REUSES` bounds the dead rows that deleting leaves behind.
 */
import { type Database, openPostgres } from 'holdfast/store'
import { type Copies, inDatabase, type Template } from './template.js'

const REUSES = 60
/** A database that is not given up by its sessions for so many tests is dropped. */
const LOOKS = 20

interface Warm {
  readonly name: string
  readonly template: Template
  readonly database: Database
  uses: number
  looks: number
}

export interface Lease {
  readonly name: string
  readonly database: Database
  /** For the next test that finds it as it was made. */
  giveBack(): void
  /** Left as it is, for a look inside. */
  keep(): Promise<void>
}

export class WarmDatabases {
  readonly #serverUrl: string
  readonly #copies: Copies
  readonly #connections: number
  readonly #returned: Warm[] = []

  constructor(serverUrl: string, copies: Copies, connections: number) {
    this.#serverUrl = serverUrl
    this.#copies = copies
    this.#connections = connections
  }

  async take(template: Template, nameOfNew: string): Promise<Lease> {
    const warm = (await this.#free(template)) ?? (await this.#make(template, nameOfNew))
    warm.uses += 1
    warm.looks = 0
    const { database, end } = untilEnded(warm.database)
    return {
      name: warm.name,
      database,
      giveBack: () => {
        end()
        this.#returned.push(warm)
      },
      keep: async () => {
        end()
        await warm.database.close()
      },
    }
  }

  /** Backends end a moment after their client has left, and hooks of the test itself may come after ours: who is late is asked again later. */
  async #free(template: Template): Promise<Warm | undefined> {
    for (const warm of this.#returned.filter((each) => each.template === template)) {
      warm.looks += 1
      const isAlone = await this.#isAlone(warm)
      if (!isAlone && warm.looks < LOOKS) continue
      this.#returned.splice(this.#returned.indexOf(warm), 1)
      if (isAlone && (await this.#isAsMade(warm))) return warm
      await this.#drop(warm)
    }
    return undefined
  }

  async #make(template: Template, name: string): Promise<Warm> {
    await this.#copies.make(name, template)
    const url = inDatabase(this.#serverUrl, name)
    return {
      name,
      template,
      uses: 0,
      looks: 0,
      database: openPostgres({ url, connections: this.#connections }),
    }
  }

  async #drop({ name, database }: Warm): Promise<void> {
    await database.close()
    await this.#copies.drop(name)
  }

  /** Empties it, too. */
  async #isAsMade(warm: Warm): Promise<boolean> {
    if (warm.uses >= REUSES) return false
    try {
      const [row] = await warm.database.query<{ as_made: boolean }>('select public.empty_world() as as_made')
      return row?.as_made === true
    } catch {
      return false
    }
  }

  async #isAlone({ name, database }: Warm): Promise<boolean> {
    const { busy = 0, idle = 0 } = database.connections?.() ?? {}
    return busy === 0 && (await this.#copies.sessions(name)) <= idle
  }
}

/** What a test leaves running must not reach the database once another test has it. */
function untilEnded(database: Database): { database: Database; end(): void } {
  let over = false
  const ended = () => Promise.reject(new Error('the test that had this database has ended'))
  const leased: Database = {
    ...database,
    query: (text, values, options) => (over ? ended() : database.query(text, values, options)),
    script: (text, options) => (over ? ended() : database.script(text, options)),
    transaction: (work, options) => (over ? ended() : database.transaction(work, options)),
    close: async () => {
      over = true
    },
  }
  return {
    database: leased,
    end: () => {
      over = true
    },
  }
}
