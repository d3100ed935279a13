/** Signups: a table of this app, in the same database as its jobs. */
import type { App } from 'holdfast'
import { welcome } from './jobs.js'

export async function createTables({ store }: Pick<App, 'store'>): Promise<void> {
  await store.database.transaction(async (tx) => {
    // Several processes may start at the same time.
    await tx.query('select pg_advisory_xact_lock(1)')
    await tx.script(`create table if not exists signups (
      id bigint generated always as identity primary key,
      email text not null unique,
      created_at timestamptz not null default now())`)
  })
}

/** Stores the signup and enqueues its welcome mail in one transaction: both exist, or neither does. */
export async function signUp(
  app: Pick<App, 'store' | 'enqueue'>,
  email: string,
): Promise<{ jobId: number } | undefined> {
  return app.store.database.transaction(async (tx) => {
    const added = await tx.query(
      'insert into signups (email) values ($1) on conflict do nothing returning id',
      [email],
    )
    if (added.length === 0) return undefined
    const job = await app.enqueue(welcome, { email }, { tx })
    return { jobId: job.id }
  })
}
