/** Leases numbered from 1, for what has to be read or compared: examples, stories, plans. Elsewhere their numbers are random. */
import type { Session } from '../../src/database/database.js'

export async function countLeases(session: Pick<Session, 'script'>, from = 1): Promise<void> {
  await session.script(`drop sequence if exists holdfast.counted_leases; create sequence holdfast.counted_leases start ${from};
    create or replace function holdfast.new_lease_id() returns bigint language sql volatile
    as $$ select nextval('holdfast.counted_leases') $$`)
}
