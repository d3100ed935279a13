// Enqueues a job for each new row by a trigger in the database, whichever program inserts the row.
// Use it when rows come from several programs, from SQL scripts or from code that you cannot change.
// Run it: npm run example -- recipes/sql-trigger
import { defineJob, holdfast } from 'holdfast'

const welcome = defineJob({
  kind: 'welcome',
  queue: 'mail',
  handler: async (_ctx, { email }: { email: string }) => `welcomed ${email}`,
})

const app = await holdfast({ migrate: true, jobs: [welcome] })
const { database } = app.store
await database.script(`
  create table if not exists users (id int generated always as identity primary key, email text not null);

  create or replace function welcome_user() returns trigger language plpgsql as $$
  begin
    perform holdfast.enqueue('mail', 'welcome',
      jsonb_build_object('id', new.id, 'email', new.email), jsonb_build_object('key', 'welcome:' || new.id));
    return new;
  end $$;

  create or replace trigger welcome_user after insert on users for each row execute function welcome_user()`)

await app.work()

// Plain SQL, as another program would run it. The job exists if and when this commits.
await database.query(`insert into users (email) values ('ada@example.org'), ('bob@example.org')`)

// Rolled back: no user, no job.
await database
  .transaction(async (tx) => {
    await tx.query(`insert into users (email) values ('eve@example.org')`)
    throw new Error('changed my mind')
  })
  .catch((error: Error) => console.log(`rolled back: ${error.message}`))

const { rows } = await app.store.list.jobs({ kind: 'welcome' })
for (const { id } of rows.reverse()) console.log(await app.handle(id).result())

await app.stop()
