/** What pg_dump and psql do to a schema, by SQL alone: every row, with its numbers, into a database of another server. */
import { migrateUp, openPostgres, type Store, storeOn } from 'holdfast/store'
import { onTestFinished } from 'vitest'

interface Table {
  readonly name: string
  readonly columns: string
}

const TABLES = `select c.relname as name, string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  where c.relnamespace = 'holdfast'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  group by c.relname order by c.relname`

const SEQUENCES = `select schemaname || '.' || sequencename as name, coalesce(last_value, 1)::text as last, (last_value is not null) as used
  from pg_sequences where schemaname = 'holdfast'`

/** The store of the copy; `url` is of a server that has no schema yet. */
export async function restoredElsewhere(from: Store, url: string): Promise<Store> {
  const database = openPostgres({ url, connections: 2 })
  onTestFinished(() => database.close())
  await migrateUp(database, 'holdfast')
  const tables = await from.database.query<Table>(TABLES)
  await database.transaction(async (tx) => {
    await tx.script(
      `set local session_replication_role = replica; truncate ${tables.map(({ name }) => `holdfast.${name}`).join()}`,
    )
    for (const { name, columns } of tables) {
      const [row] = await from.database.query<{ rows: string[] }>(
        `select coalesce(array_agg(t::text), '{}') as rows from holdfast.${name} t`,
      )
      await tx.query(
        `insert into holdfast.${name} (${columns}) overriding system value
         select ${columns} from unnest($1::text[]) x cross join lateral (select (x::holdfast.${name}).*) r`,
        [row?.rows],
      )
    }
    for (const { name, last, used } of await from.database.query<{
      name: string
      last: string
      used: boolean
    }>(SEQUENCES))
      await tx.query('select setval($1::regclass, $2::bigint, $3)', [name, last, used])
  })
  return storeOn(database, 'holdfast', { notify: false })
}
