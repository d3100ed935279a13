/**
 * A statement that sees one tenant only, in one round trip: `set_config` for the tenant and the statement are sent together, and up to the
 * Sync after both they are one transaction. So the setting ends with the statement, whichever session a pooler uses for the next one.
 */
import pg from 'pg'

const SET_TENANT = "select pg_catalog.set_config('holdfast_tenant.name', $1, true)"

/** The same for the beginning of a transaction. */
export function setTenantText(tenant: string): string {
  return SET_TENANT.replace('$1', () => pg.escapeLiteral(tenant))
}

/** What a query uses of its connection; `pg` has no types for it. */
interface PgConnection {
  parse(message: { text: string; name: string }): void
  bind(message: { values: unknown[] }): void
  execute(message: object): void
  readonly stream: { cork(): void; uncork(): void }
}

/** The methods of `pg.Query` that the connection calls. */
interface Submitted {
  submit(connection: PgConnection): Error | null
  handleDataRow(message: unknown): void
  handleCommandComplete(message: unknown, connection: PgConnection): void
}

const Query = pg.Query as unknown as new (
  config: object,
  values: unknown,
  callback: (error: Error | null, result: pg.QueryResult) => void,
) => Submitted

class NarrowedQuery extends Query {
  readonly #tenant: string
  /** The first result belongs to the setting and is dropped. */
  #isTenantSet = false

  constructor(
    tenant: string,
    config: pg.QueryConfig,
    done: (error: Error | null, result: pg.QueryResult) => void,
  ) {
    super({ ...config, queryMode: 'extended' }, undefined, done)
    this.#tenant = tenant
  }

  override submit(connection: PgConnection): Error | null {
    connection.stream.cork()
    try {
      connection.parse({ text: SET_TENANT, name: '' })
      connection.bind({ values: [this.#tenant] })
      connection.execute({})
      return super.submit(connection)
    } finally {
      connection.stream.uncork()
    }
  }

  override handleDataRow(message: unknown): void {
    if (this.#isTenantSet) super.handleDataRow(message)
  }

  override handleCommandComplete(message: unknown, connection: PgConnection): void {
    if (this.#isTenantSet) super.handleCommandComplete(message, connection)
    this.#isTenantSet = true
  }
}

export function queryAsTenant(
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
