/** A database clock for tests. It stands still until the test moves it, so that no test sleeps. It replaces `now()` in one schema. */
import type { Database } from './database.js'
import { withSchema } from './schema.js'

export interface PinnedClock {
  now(): Promise<Date>
  /** Moves the clock forward. */
  advance(ms: number): Promise<void>
  set(to: Date): Promise<void>
}

/** Pins the clock of a store; from then on it shows `at`, or the present time. */
export async function pinClock(
  store: { readonly database: Database; readonly schema: string },
  at?: Date,
): Promise<PinnedClock> {
  const database = withSchema(store.database, store.schema)
  if (await isPinned(database))
    await database.query('update holdfast.pinned_clock set at = clock_timestamp()')
  else
    await database.script(`
    create table if not exists holdfast.pinned_clock (at timestamptz not null);
    delete from holdfast.pinned_clock;
    insert into holdfast.pinned_clock values (clock_timestamp());
    create or replace function holdfast.now() returns timestamptz language sql volatile security definer
      set search_path = pg_catalog, pg_temp
      as $$ select at from holdfast.pinned_clock $$;`)
  const clock: PinnedClock = {
    async now() {
      const [row] = await database.query<{ at: Date }>('select at from holdfast.pinned_clock')
      return row?.at as Date
    },
    async advance(ms) {
      await database.query("update holdfast.pinned_clock set at = at + $1 * interval '1 ms'", [ms])
    },
    async set(to) {
      await database.query('update holdfast.pinned_clock set at = $1', [to])
    },
  }
  if (at !== undefined) await clock.set(at)
  return clock
}

async function isPinned(database: Database): Promise<boolean> {
  const [row] = await database.query<{ pinned: boolean }>(
    "select prosrc like '%pinned_clock%' as pinned from pg_proc where oid = 'holdfast.now()'::regprocedure",
  )
  return row?.pinned === true
}
