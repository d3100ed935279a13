/**
 * A statement that sees one tenant, in one round trip: the choice of the tenant and the statement itself are sent together, and up to the Sync
 * that follows both they are one transaction. So the choice ends with the statement, whatever session a pooler gives to the next one.
 */
import pg from 'pg'

const CHOOSE = "select pg_catalog.set_config('holdfast_tenant.name', $1, true)"

/** The same for the beginning of a transaction. */
export function chooseText(tenant: string): string {
  return CHOOSE.replace('$1', () => pg.escapeLiteral(tenant))
}

/** What a query needs of its connection; `pg` has no types for it. */
interface Wire {
  parse(message: { text: string; name: string }): void
  bind(message: { values: unknown[] }): void
  execute(message: object): void
  readonly stream: { cork(): void; uncork(): void }
}

/** Those parts of `pg.Query` that are called by the connection. */
interface Submitted {
  submit(connection: Wire): Error | null
  handleDataRow(message: unknown): void
  handleCommandComplete(message: unknown, connection: Wire): void
}

const Query = pg.Query as unknown as new (
  config: object,
  values: unknown,
  callback: (error: Error | null, result: pg.QueryResult) => void,
) => Submitted

class NarrowedQuery extends Query {
  readonly #tenant: string
  /** What comes first answers the choice, and is nobody's business. */
  #isChosen = false

  constructor(
    tenant: string,
    config: pg.QueryConfig,
    done: (error: Error | null, result: pg.QueryResult) => void,
  ) {
    super({ ...config, queryMode: 'extended' }, undefined, done)
    this.#tenant = tenant
  }

  override submit(connection: Wire): Error | null {
    connection.stream.cork()
    try {
      connection.parse({ text: CHOOSE, name: '' })
      connection.bind({ values: [this.#tenant] })
      connection.execute({})
      return super.submit(connection)
    } finally {
      connection.stream.uncork()
    }
  }

  override handleDataRow(message: unknown): void {
    if (this.#isChosen) super.handleDataRow(message)
  }

  override handleCommandComplete(message: unknown, connection: Wire): void {
    if (this.#isChosen) super.handleCommandComplete(message, connection)
    this.#isChosen = true
  }
}

export function queryNarrowed(
  client: pg.ClientBase,
  tenant: string,
  config: pg.QueryConfig,
): Promise<pg.QueryResult> {
  return new Promise((resolve, reject) => {
    const query = new NarrowedQuery(tenant, config, (error, result) =>
      error === null ? resolve(result) : reject(error),
    )
    client.query(query as unknown as pg.Submittable)
  })
}
