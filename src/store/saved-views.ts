/** Saved views: searches with a name, shared by the people of a tenant. */
import type { Database } from '../database/database.js'
import { holdfastError } from '../domain/errors/errors.js'
import { LIMITS } from '../domain/limits.js'
import { type Attribution, attributionValues } from './job-commands.js'
import { selectRows } from './rows.js'
import { readSearch } from './search/read-search.js'

export interface SavedView {
  readonly id: number
  readonly tenant: string
  readonly name: string
  readonly q: string
  readonly columns: string[] | null
  readonly sort: string | null
  readonly createdAt: Date
  readonly createdBy: string | null
  readonly updatedAt: Date
  readonly updatedBy: string | null
}

export interface ViewFields {
  readonly name: string
  readonly q: string
  /** In order; null: the usual ones. */
  readonly columns?: readonly string[] | null
  /** Null: newest first. */
  readonly sort?: string | null
}

const COLUMNS = 'id, tenant, name, q, columns, sort, created_at, created_by, updated_at, updated_by'

export class SavedViews {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** By name. */
  list(tenant = 'default'): Promise<SavedView[]> {
    return selectRows<SavedView>(
      this.#database,
      `select ${COLUMNS} from holdfast.saved_views where tenant = $1 order by name limit ${LIMITS.savedViewsMax.hardMax}`,
      [tenant],
    )
  }

  async get(id: number): Promise<SavedView> {
    const [view] = await selectRows<SavedView>(
      this.#database,
      `select ${COLUMNS} from holdfast.saved_views where id = $1`,
      [id],
    )
    if (view === undefined) throw holdfastError('unknown_view', { view: id })
    return view
  }

  async create(view: ViewFields & Attribution & { readonly tenant?: string }): Promise<SavedView> {
    const { tenant = 'default', name, q, columns = null, sort = null } = view
    readSearch(q)
    const [row] = await this.#database.query<{ id: number }>(
      'select holdfast.save_view($1, $2, $3, $4::text[], $5, $6, $7, $8) as id',
      [tenant, name, q, columns, sort, LIMITS.savedViewsMax.default, ...attributionValues(view)],
    )
    return this.get((row as { id: number }).id)
  }

  /** Omitted fields stay as they are. */
  async change(id: number, changes: Partial<ViewFields>, act: Attribution = {}): Promise<SavedView> {
    if (changes.q !== undefined) readSearch(changes.q)
    await this.#database.query('select holdfast.change_view($1, $2::text::jsonb, $3, $4)', [
      id,
      JSON.stringify(changes),
      ...attributionValues(act),
    ])
    return this.get(id)
  }

  async remove(id: number, act: Attribution = {}): Promise<void> {
    await this.#database.query('select holdfast.remove_view($1, $2, $3)', [id, ...attributionValues(act)])
  }
}
