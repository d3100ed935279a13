/** Rows in every table of the schema, and a digest that sees any difference between two databases. */
import type { Database } from 'holdfast/store'

/** Values that a careless copy breaks: infinity, quotes, backslashes, empty and null elements, bytes, large numbers. */
const ROWS = `
insert into holdfast.tenant (name, updated_at, max_live_jobs) values ('acme "1", \\ ü', now(), 5000);
insert into holdfast.rate values (1, E'k\\n"{}",\\\\', 0.1::float8 + 0.2::float8, 'infinity', null);
insert into holdfast.kind (tenant, kind, queue, search, declared_at, by_program) values ('default', 'k', 'q', '{a.b,"c,d"}', now(), '{}');
insert into holdfast.search_value values (-9223372036854775808, 1, 1);
insert into holdfast.lane_todo values (1024, 1);
insert into holdfast.lane_todo values (1024, 1);
insert into holdfast.idempotency values ('default', 'i', 'f', '{1,2}', array['created', null], now());
insert into holdfast.revoked values (1, 1, 1);
insert into holdfast.presence values (1, 'default', 'h', 1, '0', '{}', '{q}', 1, 0, 0, false, now(), now(), false, null);
insert into holdfast.drain_request values (1, 'default', 'h', 1, now(), null, '');
insert into holdfast.progress (job_id, last_progress_at, cursor, progress) values (1, now(), 'null', '{"n": 12345678901234567890.123}');
insert into holdfast.item (job_id, created_at, queue_id, attempt, collection, key, data) values (1, now(), 1, 1, 'c', 'k', '[]');
insert into holdfast.outbox (job_id, queue_id, created_at, trigger) values (1, 1, now(), 'sqs');
insert into holdfast.reconcile_turn values ('default', 'sqs', '-infinity');
insert into holdfast.firing (tenant, schedule_id, slot, last_slot, fired_at, outcome) values ('default', 1, '2020-01-01', '2020-01-01', now(), 'missed');
insert into holdfast.schedule_window values ('default', now(), null, null, 'ø');
insert into holdfast.chore_run values ('prune', 'n', 1, now(), 1, 1, 1, 1, null, 0, null, null);
insert into holdfast.stat values ('default', 1, 1, now(), '', 1, 1, 1, 1, 1, 1, 1, 1, '{0,1}', '{}');
insert into holdfast.counted_kind (tenant, kind, first_seen_at, last_seen_at) values ('other', 'k', now(), now());
insert into holdfast.worker_version values ('default', 1, now(), '1');
insert into holdfast.error_group values ('default', 'f', null, 'm', now(), now(), 1, '{k}', '{1}', null, null, '{1}');
insert into holdfast.error_count values ('default', 60, 'f', 'k', now(), 1);
insert into holdfast.subject (queue_id, name, kind, input, priority, enabled, added_at) values (1, 's', 'k', '{}', 1, true, now());
insert into holdfast.alert (tenant, rule, subject, state, value, threshold, since, seen_at) values ('*', 'r', '', 'firing', 1.50, 1e-9, now(), now());
insert into holdfast.alert_event (alert_id, at, tenant, rule, subject, type) values (1, now(), '*', 'r', '', 'firing');
insert into holdfast.alert_rule (tenant, rule, subject, updated_at) values ('default', 'r', '', now());
insert into holdfast.webhook (tenant, name, url, secret, created_at) values ('*', 'w', 'https://example.com', repeat('s', 30), now());
insert into holdfast.webhook_delivery (webhook_id, tenant, alert_id, event_id, type, state, created_at, next_at)
  values (1, '*', 1, 1, 'firing', 'waiting', now(), 'infinity');
insert into holdfast.bulk_operation (tenant, command, q, until, created_at) values ('default', 'retry', 'state:failed', now(), now());
insert into holdfast.bulk_result (operation_id, job_id, tenant, at, ok, state) values (1, 1, 'default', now(), true, 'queued');
insert into holdfast.saved_view (tenant, name, q, created_at, updated_at) values ('default', 'v', '', now(), now());
insert into holdfast.api_key (tenant, name, hash, hint, scopes, created_at) values ('default', 'n', sha256('a'), 'h', '{read}', now());
insert into holdfast.web_session (tenant, hash, key_id, idle, created_at, used_at, ends_at, expires_at)
  values ('default', sha256('b'), 1, '1 mon 2 days 00:00:03.5', now(), now(), now(), now());
insert into holdfast.closed values (true, now());
insert into holdfast.audit (at, tenant, actor, operation, method, path, status, request_id) values (now(), 'default', 'a', 'o', 'GET', '/', 200, 'r');`

/** On top of what verbs have written: a queue and jobs. */
export async function fillTheRest(database: Database): Promise<void> {
  await database.script(ROWS)
}

const TABLES = `select c.relname as name from pg_class c where c.relnamespace = 'holdfast'::regnamespace
  and c.relkind in ('r', 'p') and not c.relispartition and not c.relname in ('migration', 'code', 'move') order by 1`

/** By table: the number of rows, and a hash of all of them; and the ranges of history and the positions of sequences. */
export async function digestOf(database: Database): Promise<Record<string, string>> {
  const digest: Record<string, string> = {}
  for (const { name } of await database.query<{ name: string }>(TABLES)) {
    const [row] = await database.query<{ text: string }>(
      `select count(*) || ' rows, ' || md5(coalesce(string_agg(t::text, '|' order by t::text collate "C"), '')) as text
       from holdfast.${name} t`,
    )
    digest[name] = row?.text ?? ''
  }
  const more = await database.query<{ name: string; text: string }>(
    `select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as text from pg_class c
       where c.relnamespace = 'holdfast'::regnamespace and c.relispartition and c.relkind = 'r'
     union all select s.sequencename, coalesce(s.last_value::text, 'unused') from pg_sequences s
       where s.schemaname = 'holdfast' and s.sequencename <> 'wake_seq'`,
  )
  for (const { name, text } of more) digest[name] = text
  return digest
}
