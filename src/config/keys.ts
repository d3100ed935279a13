/** Every key of the configuration: its names in files and in the environment, its valid values, and its purpose. */
import { SETTINGS, type SettingName, settingOf } from '../domain/settings.js'
import { ConfigError } from './error.js'

export type ConfigValue = string | number | boolean

interface Key<V extends ConfigValue, Default extends V | undefined = V | undefined> {
  /** Undefined: there is no default. */
  readonly default: Default
  /** Variables besides HOLDFAST_<SECTION>_<KEY>, which they override. */
  readonly env?: readonly string[]
  /** Never shown. */
  readonly secret?: boolean
  readonly of: string
  /** Parses a value from a file or from text; undefined if it is invalid. */
  readonly read: (value: unknown) => V | undefined
  /** Completes the sentence "… must be". */
  readonly must: string
}

function whole<D extends number | undefined>(
  value: D,
  [min, max]: readonly [number, number],
  of: string,
  env?: string[],
): Key<number, D> {
  return {
    default: value,
    ...(env && { env }),
    of,
    must: `a whole number from ${min} to ${max}`,
    read(given) {
      const number = typeof given === 'string' && /^-?\d+$/.test(given.trim()) ? Number(given) : given
      return typeof number === 'number' && Number.isInteger(number) && number >= min && number <= max
        ? number
        : undefined
    },
  }
}

function text<D extends string | undefined>(
  value: D,
  of: string,
  rest: { env?: string[]; secret?: boolean; pattern?: RegExp; must?: string } = {},
): Key<string, D> {
  const { pattern = /./, must = 'text that is not empty', ...more } = rest
  return {
    default: value,
    ...more,
    of,
    must,
    read: (given) => (typeof given === 'string' && pattern.test(given) ? given : undefined),
  }
}

function choice(value: string, values: readonly string[], of: string, env?: string[]): Key<string, string> {
  return {
    default: value,
    ...(env && { env }),
    of,
    must: `one of ${values.join(', ')}`,
    read: (given) => values.find((value) => value === given),
  }
}

function yesOrNo(value: boolean, of: string): Key<boolean, boolean> {
  const values: Record<string, boolean> = {
    true: true,
    false: false,
    1: true,
    0: false,
    on: true,
    off: false,
  }
  return {
    default: value,
    of,
    must: 'true or false',
    read: (given) => (typeof given === 'boolean' ? given : values[String(given)]),
  }
}

/** A setting of the database that a process can override, because programs use it and the database itself does not. */
function setting(name: SettingName): Key<number, number> {
  const { default: value, min, max } = SETTINGS[name]
  return whole<number>(value, [min, max], settingOf(name), [name])
}

const DAY_SEC = 24 * 60 * 60

const TENANT_COUNT = '[A-Za-z0-9_.:-]{1,100}=\\d{1,4}(-\\d{1,4})?'
const TENANT_COUNTS = new RegExp(`^${TENANT_COUNT}(,\\s*${TENANT_COUNT})*$`)

export const KEYS = {
  'database.url': text(undefined, 'the Postgres to use; without it, an embedded one', {
    env: ['DATABASE_URL'],
    secret: true,
    pattern: /^postgres(ql)?:\/\/./i,
    must: 'an address like postgres://user@host:5432/database',
  }),
  'database.schema': text('holdfast', 'the schema Holdfast lives in', { env: ['HOLDFAST_SCHEMA'] }),
  'database.folder': text('.holdfast', 'where the embedded database keeps its data', {
    env: ['HOLDFAST_FOLDER'],
  }),
  'database.embedded': yesOrNo(
    false,
    'start a database in the folder also where NODE_ENV is production, or where another variable has an address',
  ),
  'database.wait_seconds': whole(30, [0, 3600], 'how long a start waits for a database that does not answer'),
  'database.notify': yesOrNo(true, 'wake workers by NOTIFY; without it they only poll'),
  'workers.default_count': whole(2, [0, 1000], 'jobs worked on at once when there is little to do'),
  'workers.max_count': whole(8, [1, 1000], 'jobs worked on at once at most'),
  'workers.tenants': text(
    undefined,
    'jobs worked on at once for each tenant, with commas between; then no other tenant is served',
    { pattern: TENANT_COUNTS, must: 'numbers or ranges by tenant, like acme=1, bolt=2-6' },
  ),
  'workers.poll_interval_ms': whole(250, [10, 60_000], 'how often an idle worker looks for work'),
  'workers.lease_timeout_seconds': whole(
    30,
    [1, DAY_SEC],
    'how long a silent worker keeps its jobs before others get them',
  ),
  'workers.scale_interval_ms': whole(1000, [100, 3_600_000], 'how often the number of workers is decided'),
  'workers.max_wait_ms': whole(
    undefined,
    [1, 3_600_000],
    'size workers so that a job waits no longer; without it, by how many wait',
  ),
  'server.host': text('127.0.0.1', 'where the HTTP API listens; others reach it only with a key', {
    env: ['HOST'],
  }),
  'server.port': whole(8080, [0, 65_535], 'the port of the HTTP API; 0 takes any that is free', ['PORT']),
  'server.admin_key': text(undefined, 'a key for everything, beside those of the database', {
    env: ['HOLDFAST_ADMIN_KEY'],
    secret: true,
    pattern: /^\S{16,200}$/,
    must: 'text of 16 to 200 characters without a space',
  }),
  'server.redact': text(
    undefined,
    'places in payloads that the HTTP API does not show, with commas between',
    {
      pattern: /^\/[^,]+(,\s*\/[^,]+)*$/,
      must: 'JSON pointers like /password, /cards/*/number',
    },
  ),
  'webhooks.allow': text(
    undefined,
    'addresses inside your network that webhooks may lead to, with commas between',
    {
      pattern: /^[0-9A-Fa-f.:]+(\/\d{1,3})?(,\s*[0-9A-Fa-f.:]+(\/\d{1,3})?)*$/,
      must: 'ranges like 10.1.0.0/16, fd00::/8',
    },
  ),
  'webhooks.ca_file': text(undefined, 'certificates of authorities that webhooks are checked against, too'),
  'metrics.port': whole(
    undefined,
    [0, 65_535],
    'where a worker serves its metrics; without it nowhere, and 0 takes any free port',
  ),
  'metrics.host': text(
    '127.0.0.1',
    'who can reach the metrics of a worker; others than this machine need a token',
  ),
  'metrics.token': text(undefined, 'the token required to read the metrics of a worker', {
    secret: true,
    pattern: /^\S{16,200}$/,
    must: 'text of 16 to 200 characters without a space',
  }),
  'sqs.queue_url': text(undefined, 'the SQS queue that notifies workers of jobs; without it SQS is off', {
    pattern: /^https?:\/\/./i,
    must: 'the address of a queue, like https://sqs.eu-west-1.amazonaws.com/1234/jobs',
  }),
  'sqs.dead_letter_url': text(undefined, 'the SQS queue for what SQS gives up on, and for failed jobs', {
    pattern: /^https?:\/\/./i,
    must: 'the address of a queue, like https://sqs.eu-west-1.amazonaws.com/1234/jobs-dead',
  }),
  'sqs.endpoint': text(undefined, 'where SQS is, if it is not Amazon’s: an emulator', {
    env: ['AWS_ENDPOINT_URL_SQS'],
    pattern: /^https?:\/\/./i,
    must: 'an address like http://127.0.0.1:4566',
  }),
  'sqs.region': text(undefined, 'the region of the queue', { env: ['AWS_REGION'] }),
  'sqs.trigger': text('sqs', 'what queues have as their external trigger'),
  'sqs.resend_seconds': whole(
    300,
    [1, DAY_SEC],
    'how long until a message is sent again whose job still waits',
  ),
  'sqs.net_seconds': whole(30, [1, DAY_SEC], 'how often workers look for jobs whose message was lost'),
  'sqs.reconcile_seconds': whole(
    900,
    [0, DAY_SEC],
    'how often dead letters are compared with the jobs; 0: only when asked',
  ),
  'log.level': choice(
    'info',
    ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'],
    'the least severe lines that are written',
    ['LOG_LEVEL'],
  ),
  'log.format': choice('auto', ['auto', 'json', 'pretty'], 'auto is pretty on a terminal and JSON elsewhere'),
  'settings.UPKEEP_EVERY_SEC': setting('UPKEEP_EVERY_SEC'),
  'settings.SCHEDULER_EVERY_SEC': setting('SCHEDULER_EVERY_SEC'),
  'settings.STALE_CHECK_EVERY_SEC': setting('STALE_CHECK_EVERY_SEC'),
  'settings.PROCESSING_POLL_MS': setting('PROCESSING_POLL_MS'),
  'settings.STALE_DAYS': setting('STALE_DAYS'),
  'settings.RESET_CRAWLING_AFTER_MIN': setting('RESET_CRAWLING_AFTER_MIN'),
  'settings.SHUTDOWN_GRACE_PERIOD_SECONDS': setting('SHUTDOWN_GRACE_PERIOD_SECONDS'),
} as const satisfies Record<string, Key<ConfigValue>>

export type KeyName = keyof typeof KEYS
export type ValueOf<K extends KeyName> = (typeof KEYS)[K] extends Key<infer V, infer _D> ? V : never

export const KEY_NAMES = Object.keys(KEYS) as KeyName[]

/** The variables of a key, those with the highest precedence first. */
export function envNames(key: KeyName): string[] {
  const entry: Key<ConfigValue> = KEYS[key]
  // A setting has the same name everywhere.
  return key.startsWith('settings.')
    ? [...(entry.env ?? [])]
    : [...(entry.env ?? []), `HOLDFAST_${key.replace('.', '_').toUpperCase()}`]
}

export function isSecret(key: KeyName): boolean {
  return (KEYS[key] as Key<ConfigValue>).secret === true
}

/** `source` names where the value comes from. A secret value is left out. */
export function readValue(key: KeyName, given: unknown, source: string, exit?: 'usage'): ConfigValue {
  const entry: Key<ConfigValue> = KEYS[key]
  const value = entry.read(given)
  if (value !== undefined) return value
  const shown = isSecret(key) ? '' : `, not ${JSON.stringify(given)}`
  throw new ConfigError(
    `${source} must be ${entry.must}${shown}.`,
    'Correct the value, or take it out.',
    exit,
  )
}
