/** Checks for sessions that keep vacuum from removing rows, and for a full NOTIFY queue. */
import { type Check, type Finding, type Patient, queryOne, rows } from './finding.js'

export interface VacuumBlocker {
  readonly kind: 'session' | 'prepared' | 'slot'
  readonly name: string
  readonly seconds: number
  readonly who: string
  readonly state: string | null
  readonly query: string | null
}

/** Only what affects this database's tables: transactions of other databases do not, except for slots and prepared transactions. */
const HOLDERS = `
select 'session' as kind, a.pid::text as name, extract(epoch from clock_timestamp() - a.xact_start)::float8 as seconds,
  concat_ws(' ', a.usename, 'of', nullif(a.application_name, ''), host(a.client_addr)) as who, a.state, left(a.query, 300) as query,
  greatest(age(a.backend_xmin), age(a.backend_xid)) as held
from pg_catalog.pg_stat_activity a
where (a.backend_xmin is not null or a.backend_xid is not null) and a.pid <> pg_backend_pid() and a.xact_start is not null
  and (a.datname = current_database() or a.datname is null) and a.backend_type <> 'autovacuum worker'
union all
select 'prepared', p.gid, extract(epoch from clock_timestamp() - p.prepared), p.owner, 'prepared', null, age(p.transaction)
from pg_catalog.pg_prepared_xacts p where p.database = current_database()
union all
select 'slot', s.slot_name, null, case when s.active then 'in use' else 'unused' end, s.slot_type, null, age(s.xmin)
from pg_catalog.pg_replication_slots s where s.xmin is not null
order by held desc nulls last limit 20`

export const transactionCheck: Check = {
  name: 'transactions',
  title: 'transactions that stay open',
  serverOnly: true,
  async run(patient) {
    const holders = await rows<VacuumBlocker>(patient, HOLDERS)
    return holders.flatMap((holder) => judgeHolder(holder, patient)).slice(0, 3)
  },
}

export function judgeHolder(holder: VacuumBlocker, { limits }: Pick<Patient, 'limits'>): Finding[] {
  const { kind, name, seconds, who, state, query } = holder
  if (kind === 'slot' ? who === 'in use' : seconds <= limits.transactionSec) return []
  const since = kind === 'slot' ? '' : ` for ${Math.round(seconds)} s`
  const what = {
    session: `Session ${name} (${who}, ${state ?? 'active'}) has a transaction open${since}`,
    prepared: `The prepared transaction ${name} of ${who} is open${since}`,
    slot: `The replication slot ${name} is ${who} and keeps old rows`,
  }[kind]
  return [
    {
      code: 'transaction_open',
      severity: 'warning',
      sentence: `${what}: vacuum cannot remove rows that it may still see.${query ? ` Its last statement: ${query.replace(/[\s\p{Cc}]+/gu, ' ')}` : ''}`,
      fix: FIXES[kind](name, query),
      data: { kind, name, seconds: seconds === null ? null : Math.round(seconds), who, state, query },
    },
  ]
}

const FIXES = {
  session: (pid: string, query: string | null) =>
    query === '<insufficient privilege>'
      ? `select pg_terminate_backend(${pid}); -- as a superuser; to see the query: grant pg_read_all_stats to this user`
      : `select pg_terminate_backend(${pid}); -- and for all: alter system set idle_in_transaction_session_timeout = '5min'`,
  prepared: (gid: string) => `rollback prepared '${gid.replaceAll("'", "''")}'; -- or commit it`,
  slot: (slot: string) => `select pg_drop_replication_slot('${slot.replaceAll("'", "''")}');`,
}

export const notifyCheck: Check = {
  name: 'notify',
  title: 'the queue of NOTIFY',
  serverOnly: true,
  async run(patient) {
    const { share } = await queryOne<{ share: number }>(
      patient,
      'select pg_notification_queue_usage() as share',
    )
    return judgeNotify(share, patient)
  },
}

export function judgeNotify(share: number, { limits }: Pick<Patient, 'limits'>): Finding[] {
  if (share < limits.notifyShare) return []
  return [
    {
      code: 'notify_queue',
      severity: share > 0.5 ? 'problem' : 'warning',
      sentence: `The NOTIFY queue is ${Math.round(share * 100)} % full: a listening session does not read. When it is full, commits that notify fail.`,
      fix: "End the listener that sits in a transaction: select pid, query from pg_stat_activity where state = 'idle in transaction' order by xact_start;",
      data: { share },
    },
  ]
}
