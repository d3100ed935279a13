/** Ranges small enough to walk through several in one test, from the first id on. */
import type { Store } from 'holdfast/store'

export async function narrow(store: Store, width: number): Promise<void> {
  // The ones the migration made, as wide as they usually are, and empty.
  await store.database.script(`do $$
    declare v_lo bigint;
    begin
      for v_lo in delete from holdfast.partition returning lo loop
        execute format('drop table holdfast.job_%s, holdfast.attempt_%s', v_lo, v_lo);
      end loop;
    end $$`)
  await setWidth(store, width)
}

/** For ranges to come. */
export async function setWidth(store: Store, width: number): Promise<void> {
  await store.database.query(
    `insert into holdfast.setting (name, value, updated_at) values ('PARTITION_JOBS', to_jsonb($1::int), now())
     on conflict (name) do update set value = excluded.value`,
    [width],
  )
}
