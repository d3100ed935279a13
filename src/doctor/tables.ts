/** Checks for invalid indexes and for tables that autovacuum neglects. */
import { type Check, type Finding, type Patient, rows } from './finding.js'

export const indexCheck: Check = {
  name: 'indexes',
  title: 'indexes that Postgres does not use',
  async run(patient) {
    const invalid = await rows<{ index: string; table: string }>(
      patient,
      `select i.indexrelid::regclass::text as index, i.indrelid::regclass::text as table
       from pg_catalog.pg_index i join pg_catalog.pg_class c on c.oid = i.indexrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
       where n.nspname = $1 and not (i.indisvalid and i.indisready and i.indislive) order by 1`,
      [patient.schema],
    )
    return invalid.map(({ index, table }) => ({
      code: 'index_invalid',
      severity: 'problem' as const,
      sentence: `The index ${index} of ${table} is invalid: Postgres maintains it but does not use it.`,
      fix: `reindex index concurrently ${index};`,
      data: { index, table },
    }))
  },
}

export interface TableFacts {
  readonly table: string
  readonly dead: number
  readonly live: number
  /** The number of dead rows that starts autovacuum. */
  readonly comesAt: number
  readonly vacuumedAt: Date | null
  readonly off: boolean
}

const TABLES = `
select c.oid::regclass::text as table, s.n_dead_tup as dead, s.n_live_tup as live,
  coalesce((o.options ->> 'autovacuum_vacuum_threshold')::float8, current_setting('autovacuum_vacuum_threshold')::float8)
    + coalesce((o.options ->> 'autovacuum_vacuum_scale_factor')::float8, current_setting('autovacuum_vacuum_scale_factor')::float8)
      * greatest(c.reltuples, 0) as "comesAt",
  greatest(s.last_vacuum, s.last_autovacuum) as "vacuumedAt",
  coalesce((o.options ->> 'autovacuum_enabled')::boolean, true) = false as off
from pg_catalog.pg_stat_all_tables s join pg_catalog.pg_class c on c.oid = s.relid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
cross join lateral (select jsonb_object(array(select split_part(x, '=', 1) from unnest(c.reloptions) x order by x),
  array(select split_part(x, '=', 2) from unnest(c.reloptions) x order by x)) as options) o
where n.nspname = $1 and c.relkind = 'r' order by 1`

export const vacuumCheck: Check = {
  name: 'vacuum',
  title: 'dead rows, and when vacuum last came',
  serverOnly: true,
  async run(patient) {
    const off = await rows<{ name: string }>(
      patient,
      "select name from pg_catalog.pg_settings where name in ('autovacuum', 'track_counts') and setting = 'off' order by name",
    )
    const tables = await rows<TableFacts>(patient, TABLES, [patient.schema])
    return [
      ...off.map(({ name }) => switchedOff(name)),
      ...tables.flatMap((table) => judgeTable(table, patient)),
    ]
  },
}

function switchedOff(name: string): Finding {
  return {
    code: 'autovacuum_off',
    severity: 'problem',
    sentence: `${name} is off: dead rows of jobs are never removed, and claims become slower without end.`,
    fix: `alter system set ${name} = on; select pg_reload_conf();`,
    data: { setting: name },
  }
}

export function judgeTable(
  { table, dead, live, comesAt, vacuumedAt, off }: TableFacts,
  { limits }: Pick<Patient, 'limits'>,
): Finding[] {
  const findings: Finding[] = []
  if (off)
    findings.push({
      code: 'autovacuum_off',
      severity: 'problem',
      sentence: `Autovacuum is disabled for ${table}, whose rows change all day.`,
      fix: `alter table ${table} reset (autovacuum_enabled);`,
      data: { table },
    })
  if (dead > Math.max(limits.deadRows, limits.deadRatio * comesAt))
    findings.push({
      code: 'dead_rows',
      severity: 'warning',
      sentence: `${table} has ${dead} dead rows and ${live} live ones; it was ${vacuumedAt === null ? 'never vacuumed' : `last vacuumed at ${vacuumedAt.toISOString()}`}, and autovacuum should start at ${Math.round(comesAt)}.`,
      fix: `vacuum (analyze) ${table}; -- and look for a transaction that stays open, which keeps vacuum from removing rows`,
      data: { table, dead, live, comesAt: Math.round(comesAt), vacuumedAt },
    })
  return findings
}
