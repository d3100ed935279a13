/** Converts a loaded configuration (files, environment, flags) into options of `holdfast()` and `work()`. */
import { readFileSync } from 'node:fs'
import { ConfigError } from '../config/error.js'
import { isOwn } from '../config/files.js'
import type { ConfigKey } from '../config/keys.js'
import type { Config } from '../config/resolve.js'
import { checkAllowed, type WebhookOptions } from '../webhooks/addresses.js'
import type { WorkGroup, WorkOptions } from './work.js'

/** For the queues of all jobs of the app, or for those that are named. */
export function workOptionsOf(config: Config, queues?: readonly string[]): WorkOptions {
  const maxWaitMs = config.get('workers.max_wait_ms')
  const isSet = (key: ConfigKey) => isOwn(config.origin(key))
  return {
    groups: groupsOf(config).map((group) => ({ ...(queues === undefined ? {} : { queues }), ...group })),
    scaleIntervalMs: config.get('workers.scale_interval_ms'),
    ...(maxWaitMs === undefined ? {} : { maxWaitMs }),
    // Without an explicit setting, polls become rarer while notifications work, and each queue's policy decides how long its leases last.
    ...(isSet('workers.poll_interval_ms') ? { pollMs: config.get('workers.poll_interval_ms') } : {}),
    ...(isSet('workers.lease_timeout_seconds')
      ? { leaseMs: config.get('workers.lease_timeout_seconds') * 1000 }
      : {}),
  }
}

const COUNT_MAX = 1000

/** One group, or one for each tenant. */
function groupsOf(config: Config): WorkGroup[] {
  const tenants = config.get('workers.tenants')
  if (tenants === undefined) {
    return [{ defaultCount: config.get('workers.default_count'), maxCount: config.get('workers.max_count') }]
  }
  const groups = tenants.split(/,\s*/).map((entry) => {
    const [, tenant = '', min = '', max = min] = /^(.+)=(\d+)(?:-(\d+))?$/.exec(entry) ?? []
    const [defaultCount, maxCount] = [Number(min), Number(max)]
    if (maxCount < 1 || maxCount > COUNT_MAX || defaultCount > maxCount)
      throw tenantsError(config, `${entry} must be a number or a range from 1 to ${COUNT_MAX}`)
    return { name: tenant, tenant, defaultCount, maxCount }
  })
  const twice = groups.find(({ tenant }, index) => groups.findIndex((each) => each.tenant === tenant) < index)
  if (twice !== undefined) throw tenantsError(config, `${twice.tenant} is listed twice`)
  return groups
}

function tenantsError(config: Config, problem: string): ConfigError {
  const origin = config.origin('workers.tenants')
  return new ConfigError(
    `workers.tenants (${origin}) is wrong: ${problem}.`,
    'Write it like acme=1, bolt=2-6.',
  )
}

/** Where webhooks may lead, as option of `holdfast()` and of a server. */
export function webhookOptionsOf(config: Config): WebhookOptions {
  const allow = (config.get('webhooks.allow') ?? '').split(/,\s*/).filter((range) => range !== '')
  const file = config.get('webhooks.ca_file')
  return { allow: checkAllowed(allow), ...(file === undefined ? {} : { ca: readCertificates(file) }) }
}

function readCertificates(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new ConfigError(
      `webhooks.ca_file cannot be read: ${(error as Error).message}.`,
      'Correct the path, or take it out.',
    )
  }
}
