/** What happens to leases and cancel requests, in the order in which the database wrote it. */
import type { Store } from 'holdfast/store'
import { onTestFinished } from 'vitest'

export interface Noted {
  readonly what: 'heartbeat' | 'cancel requested' | 'aborted'
  readonly at: Date
}

export interface HeartbeatLog {
  note(what: Noted['what']): Promise<void>
  read(): Promise<Noted[]>
}

/** Triggers of the test's own write it; they are gone when the test ends. */
export async function heartbeatLog({ database }: Store): Promise<HeartbeatLog> {
  await database.script(`
    create table public.noted (n bigint generated always as identity, what text not null, at timestamptz not null default clock_timestamp());
    create function public.note() returns trigger language plpgsql as $$
    begin
      insert into public.noted (what) values (tg_argv[0]);
      return null;
    end $$;
    create trigger heartbeat after update of heartbeat_at on holdfast.lease
      for each row execute function public.note('heartbeat');
    create trigger cancel_requested after update of cancel_requested on holdfast.running
      for each row when (new.cancel_requested and not old.cancel_requested) execute function public.note('cancel requested')`)
  onTestFinished(() =>
    database.script(`drop trigger heartbeat on holdfast.lease; drop trigger cancel_requested on holdfast.running;
      drop function public.note; drop table public.noted`),
  )
  return {
    note: async (what) => {
      await database.query('insert into public.noted (what) values ($1)', [what])
    },
    read: () =>
      database.query<Noted & Record<string, unknown>>('select what, at from public.noted order by n'),
  }
}
