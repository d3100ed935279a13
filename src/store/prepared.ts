/**
 * What is sent often is parsed once a session, which from idle saves a call a fifth of a millisecond. Only where a session is ours alone:
 * a pooler may give the next transaction to one that has never heard of the statement. A server names its own process when it greets; a
 * pooler names something else.
 */
import type pg from 'pg'

/** The server no longer has what we prepared, has it already, or what it answers has changed with a migration. Nothing has run. */
const UNFIT = new Set(['26000', '42P05', '0A000'])

export interface Statement {
  readonly text: string
  readonly values: unknown[]
}

type Ask = (config: pg.QueryConfig) => Promise<pg.QueryResult>

export class Prepared {
  readonly #names = new Map<string, string>()
  readonly #isOwn = new WeakMap<pg.ClientBase, boolean>()
  #isOff = false

  /** Asks with the name of the statement where it has one. */
  async query(client: pg.ClientBase, config: Statement, ask: Ask): Promise<pg.QueryResult> {
    if (this.#isOff || !(await this.#own(client))) return ask(config)
    try {
      return await ask({ ...config, name: this.#nameOf(config.text) })
    } catch (error) {
      if (!UNFIT.has((error as { code?: string }).code ?? '')) throw error
      this.#isOff = true
      return ask(config)
    }
  }

  async #own(client: pg.ClientBase): Promise<boolean> {
    const known = this.#isOwn.get(client)
    if (known !== undefined) return known
    const isOwn = (await sessionOf(client)) === greetedBy(client)
    this.#isOwn.set(client, isOwn)
    return isOwn
  }

  #nameOf(text: string): string {
    const name = this.#names.get(text) ?? `holdfast ${this.#names.size}`
    this.#names.set(text, name)
    return name
  }
}

/** The process that serves this transaction. */
export async function sessionOf(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_catalog.pg_backend_pid() as pid')
  return rows[0]?.pid as number
}

/** The process that was named when the connection was made. */
export function greetedBy(client: pg.ClientBase): number {
  return (client as unknown as { processID: number }).processID
}
