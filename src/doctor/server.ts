/** Checks of the server and the connection to it: durability settings, poolers, clocks, connection limits. */
import { HoldfastError } from '../domain/errors/errors.js'
import { type Check, type Finding, type Patient, queryOne, rows } from './finding.js'

interface SettingFacts {
  readonly name: string
  readonly setting: string
  readonly source: string
}

export const durabilityCheck: Check = {
  name: 'durability',
  title: 'whether a commit outlives a crash',
  serverOnly: true,
  async run(patient) {
    const settings = await rows<SettingFacts>(
      patient,
      "select name, setting, source from pg_catalog.pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit') order by name",
    )
    return settings.filter(({ setting }) => setting === 'off').map(offFinding)
  },
}

const LOSES: Readonly<Record<string, string>> = {
  fsync: 'a crash of the machine can destroy the whole database',
  full_page_writes: 'a crash of the machine can leave half-written pages that nothing repairs',
  synchronous_commit: 'jobs that were accepted in the last moments before a crash are gone',
}

function offFinding({ name, source }: SettingFacts): Finding {
  const fixes: Record<string, string> = {
    database: `do $$ begin execute format('alter database %I reset ${name}', current_database()); end $$;`,
    user: `alter role current_user reset ${name};`,
    'command line': `Take ${name}=off out of the command line that starts the server, and restart it.`,
    client: `Take ${name} out of the options of the connection's address.`,
  }
  return {
    code: 'not_durable',
    severity: name === 'synchronous_commit' ? 'warning' : 'problem',
    sentence: `${name} is off: ${LOSES[name]}.`,
    fix: fixes[source] ?? `alter system set ${name} = on; select pg_reload_conf();`,
    data: { setting: name, source },
  }
}

export const poolerCheck: Check = {
  name: 'pooler',
  title: 'what stands between this program and the server',
  serverOnly: true,
  async run({ database }) {
    try {
      const listening = await database.listen?.('holdfast_doctor', { received() {}, ended() {} })
      await listening?.end()
      return listening === undefined ? [TRANSACTION_MODE] : []
    } catch (error) {
      const { message, cause } = error as Error
      if (!/statement pooling/i.test(`${message} ${(cause as Error | undefined)?.message}`)) throw error
      return [STATEMENT_MODE]
    }
  },
}

const TRANSACTION_MODE: Finding = {
  code: 'pooler_transaction_mode',
  severity: 'note',
  sentence:
    'A pooler in transaction mode is in between: everything works, but no NOTIFY arrives, so idle workers poll for new jobs four times a second.',
  fix: 'Give workers a URL without the pooler, or one in session mode; or set workers.poll_interval_ms to what suits you.',
  data: { mode: 'transaction' },
}

const STATEMENT_MODE: Finding = {
  code: 'pooler_statement_mode',
  severity: 'problem',
  sentence: 'A pooler in statement mode is in between: it refuses transactions, which Holdfast needs.',
  fix: "pool_mode = transaction in the pooler's settings",
  data: { mode: 'statement' },
}

export const clockCheck: Check = {
  name: 'clock',
  title: "this clock against the database's",
  async run(patient) {
    const probes: { skewMs: number; wayMs: number }[] = []
    for (let probe = 0; probe < 3; probe += 1) {
      const before = patient.now()
      const { at } = await queryOne<{ at: number }>(
        patient,
        'select extract(epoch from clock_timestamp())::float8 * 1000 as at',
      )
      const wayMs = patient.now() - before
      probes.push({ skewMs: before + wayMs / 2 - at, wayMs })
    }
    // The quickest round trip measures best.
    const [best] = probes.sort((a, b) => a.wayMs - b.wayMs)
    return best === undefined ? [] : judgeClock(best, patient)
  },
}

export function judgeClock(
  { skewMs, wayMs }: { skewMs: number; wayMs: number },
  { limits }: Pick<Patient, 'limits'>,
): Finding[] {
  if (Math.abs(skewMs) - wayMs / 2 <= limits.clockSkewMs) return []
  return [
    {
      code: 'clock_skew',
      severity: 'warning',
      sentence: `The clock of this computer is ${(Math.abs(skewMs) / 1000).toFixed(1)} s ${skewMs > 0 ? 'ahead of' : 'behind'} the database's. Leases use the database's clock only; times in logs, and times that programs compute, are off.`,
      fix: 'Synchronise both computers by NTP: timedatectl set-ntp true',
      data: { skewMs: Math.round(skewMs) },
    },
  ]
}

/** The connections of a worker process, besides those of its handlers. */
const PER_WORKER = 5

export interface ConnectionFacts {
  readonly max: number
  readonly reserved: number
  readonly used: number
  readonly ours: number
  readonly processes: number
}

export const connectionCheck: Check = {
  name: 'connections',
  title: 'connections against max_connections',
  serverOnly: true,
  async run(patient) {
    const facts = await queryOne<ConnectionFacts>(
      patient,
      `select current_setting('max_connections')::int as max,
         current_setting('superuser_reserved_connections')::int + coalesce(current_setting('reserved_connections', true), '0')::int as reserved,
         (select count(*)::int from pg_catalog.pg_stat_activity where backend_type = 'client backend') as used,
         (select count(*)::int from pg_catalog.pg_stat_activity where application_name like 'holdfast%') as ours,
         (select count(*)::int from (select distinct host, pid from holdfast.workers where alive) p) as processes`,
    )
    return judgeConnections(facts, patient)
  },
}

export function judgeConnections(facts: ConnectionFacts, { limits }: Pick<Patient, 'limits'>): Finding[] {
  const { max, reserved, used, ours, processes } = facts
  const available = max - reserved
  const budget = processes * PER_WORKER
  const crowded = used > limits.connectionsShare * available
  if (!crowded && budget <= available) return []
  return [
    {
      code: 'connections_short',
      severity: 'warning',
      sentence: crowded
        ? `${used} of ${available} connections are in use, ${ours} of them by Holdfast: soon no new one can be opened.`
        : `${processes} worker processes need ${PER_WORKER} connections each, ${budget} in all, and there are ${available}.`,
      fix: `alter system set max_connections = ${2 * Math.max(max, budget)}; -- takes a restart; or fewer processes with more slots each, or a pooler`,
      data: { ...facts, available, budget },
    },
  ]
}

/** The database cannot be reached: what to check, by the kind of error. */
export function unreachable(error: unknown): Finding {
  const { message, cause } = error as Error
  const details = `${message} ${(cause as Error | undefined)?.message ?? ''}`
  const code = (cause as { code?: string } | undefined)?.code ?? (error as { code?: string }).code ?? ''
  const fix =
    HINTS.find(([pattern]) => pattern.test(`${code} ${details}`))?.[1] ??
    'Check DATABASE_URL or --url, and whether the server runs.'
  const sentence =
    error instanceof HoldfastError ? message : `The database refused the connection: ${message}.`
  return { code: 'unreachable', severity: 'problem', sentence, fix, data: { sqlstate: code } }
}

const HINTS: readonly (readonly [RegExp, string])[] = [
  [
    /ECONNREFUSED/,
    'Nothing listens at that address: start the server, or correct host and port in DATABASE_URL; `pg_isready` with the same host tests it.',
  ],
  [
    /ENOTFOUND|EAI_AGAIN/,
    'The host name does not resolve: correct the host in DATABASE_URL, or check the DNS.',
  ],
  [
    /ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|timeout|deadline/i,
    'The network blocks the connection or the server hangs: check firewalls and security groups, then the server.',
  ],
  [
    /^28|password/i,
    'Correct user and password in DATABASE_URL; pg_hba.conf on the server lists who may connect from where.',
  ],
  [/^3D000/, 'Create the database, or correct its name in DATABASE_URL: createdb <name>'],
  [
    /^53300|too many clients/i,
    'Every connection is taken: select count(*), application_name from pg_stat_activity group by 2; and raise max_connections or use a pooler.',
  ],
  [/^57P03|starting up/i, 'The server is starting: try again in a moment.'],
  [/certificate|SSL|TLS/i, 'Set how to trust the server: sslmode and sslrootcert in DATABASE_URL.'],
]
