/** Every key of the configuration: its names in files and in the environment, its valid values, and its purpose. */
import { SETTINGS, type SettingName, settingOf } from '../domain/settings.js'
import { POSTGRES_ADDRESS } from '../domain/validate.js'
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
    ...POSTGRES_ADDRESS,
  }),
  'database.schema': text('holdfast', 'the schema that Holdfast uses', { env: ['HOLDFAST_SCHEMA'] }),
  'database.folder': text('.holdfast', 'the folder of the data of the embedded database', {
    env: ['HOLDFAST_FOLDER'],
  }),
  'database.embedded': yesOrNo(
    false,
    'start an embedded database even if NODE_ENV is production, or if another variable has an address',
  ),
  'database.wait_seconds': whole(30, [0, 3600], 'how long a start waits for a database that does not answer'),
  'database.notify': yesOrNo(true, 'wake workers by NOTIFY; without it they only poll'),
  'workers.default_count': whole(2, [0, 1000], 'concurrent jobs when few jobs wait'),
  'workers.max_count': whole(8, [1, 1000], 'the maximum number of concurrent jobs'),
  'workers.tenants': text(
    undefined,
    'concurrent jobs of each tenant, separated by commas; other tenants are then not served',
    { pattern: TENANT_COUNTS, must: 'numbers or ranges by tenant, like acme=1, bolt=2-6' },
  ),
  'workers.poll_interval_ms': whole(250, [10, 60_000], 'how often an idle worker looks for work'),
  'workers.lease_timeout_seconds': whole(
    30,
    [1, DAY_SEC],
    'the longest time that a worker without a heartbeat keeps its jobs',
  ),
  'workers.scale_interval_ms': whole(1000, [100, 3_600_000], 'how often the number of workers is adjusted'),
  'workers.max_wait_ms': whole(
    undefined,
    [1, 3_600_000],
    'adjust the number of workers by how long jobs would wait, not by how many wait',
  ),
  'server.host': text(
    '127.0.0.1',
    'where the HTTP API listens; another address than loopback requires a key',
    {
      env: ['HOST'],
    },
  ),
  'server.port': whole(8080, [0, 65_535], 'the port of the HTTP API; 0 takes any that is free', ['PORT']),
  'server.admin_key': text(
    undefined,
    'a key that allows everything, in addition to the keys in the database',
    {
      env: ['HOLDFAST_ADMIN_KEY'],
      secret: true,
      pattern: /^\S{16,200}$/,
      must: 'text of 16 to 200 characters without a space',
    },
  ),
  'server.base_path': text('/', 'the path below which a proxy mounts the server, with its dashboard', {
    pattern: /^\/?([A-Za-z0-9_~-][A-Za-z0-9._~-]*\/?)*$/,
    must: 'a path like /ops/jobs',
  }),
  'server.trust_proxy': yesOrNo(
    false,
    'trust the X-Forwarded headers of requests; only behind a proxy that sets all of them',
  ),
  'server.redact': text(
    undefined,
    'places in payloads that the HTTP API does not show, separated by commas',
    {
      pattern: /^\/[^,]+(,\s*\/[^,]+)*$/,
      must: 'JSON pointers like /password, /cards/*/number',
    },
  ),
  'webhooks.allow': text(
    undefined,
    'addresses inside your network that webhooks may call, separated by commas',
    {
      pattern: /^[0-9A-Fa-f.:]+(\/\d{1,3})?(,\s*[0-9A-Fa-f.:]+(\/\d{1,3})?)*$/,
      must: 'ranges like 10.1.0.0/16, fd00::/8',
    },
  ),
  'webhooks.ca_file': text(
    undefined,
    'certificate authorities that webhooks trust, in addition to the usual ones',
  ),
  'metrics.port': whole(
    undefined,
    [0, 65_535],
    'the port of the metrics of a worker; without it they are off, and 0 picks a free port',
  ),
  'metrics.host': text(
    '127.0.0.1',
    'where the metrics listen; another address than loopback requires a token',
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
  'sqs.dead_letter_url': text(
    undefined,
    'the dead-letter queue: messages that SQS gave up on, and one for each failed job',
    {
      pattern: /^https?:\/\/./i,
      must: 'the address of a queue, like https://sqs.eu-west-1.amazonaws.com/1234/jobs-dead',
    },
  ),
  'sqs.endpoint': text(undefined, 'where SQS is, if it is not Amazon’s: an emulator', {
    env: ['AWS_ENDPOINT_URL_SQS'],
    pattern: /^https?:\/\/./i,
    must: 'an address like http://127.0.0.1:4566',
  }),
  'sqs.region': text(undefined, 'the region of the queue', { env: ['AWS_REGION'] }),
  'sqs.trigger': text('sqs', 'the externalTrigger of the queues that use SQS'),
  'sqs.resend_seconds': whole(300, [1, DAY_SEC], 'when a message is sent again for a job that still waits'),
  'sqs.fallback_poll_seconds': whole(30, [1, DAY_SEC], 'how often workers claim jobs whose message was lost'),
  'sqs.reconcile_seconds': whole(
    900,
    [0, DAY_SEC],
    'how often dead letters are compared with the jobs; 0: only when asked',
  ),
  'log.level': choice(
    'info',
    ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'],
    'the lowest level that is logged',
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

export type ConfigKey = keyof typeof KEYS
export type ValueOf<K extends ConfigKey> = (typeof KEYS)[K] extends Key<infer V, infer _D> ? V : never

export const KEY_NAMES = Object.keys(KEYS) as ConfigKey[]

/** The variables of a key, those with the highest precedence first. */
export function envNames(key: ConfigKey): string[] {
  const entry: Key<ConfigValue> = KEYS[key]
  // A setting has the same name everywhere.
  return key.startsWith('settings.')
    ? [...(entry.env ?? [])]
    : [...(entry.env ?? []), `HOLDFAST_${key.replace('.', '_').toUpperCase()}`]
}

export function isSecret(key: ConfigKey): boolean {
  return (KEYS[key] as Key<ConfigValue>).secret === true
}

/** `source` names where the value comes from. A secret value is left out. */
export function readValue(key: ConfigKey, given: unknown, source: string, exit?: 'usage'): ConfigValue {
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
