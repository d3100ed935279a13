/** What a configuration says, as options of the library. */
import { readFileSync } from 'node:fs'
import { ConfigError } from '../config/error.js'
import { isOwn } from '../config/files.js'
import type { Config } from '../config/resolve.js'
import { checkAllowed, type WebhookOptions } from '../webhooks/addresses.js'
import type { WorkOptions } from './work.js'

/** For the queues of all jobs of the app, or for those that are named. */
export function workOptionsOf(config: Config, queues?: readonly string[]): WorkOptions {
  const targetWaitMs = config.get('workers.target_wait_ms')
  return {
    groups: [
      {
        ...(queues === undefined ? {} : { queues }),
        defaultCount: config.get('workers.default_count'),
        maxCount: config.get('workers.max_count'),
      },
    ],
    scaleIntervalMs: config.get('workers.scale_interval_ms'),
    ...(targetWaitMs === undefined ? {} : { targetWaitMs }),
    pollMs: config.get('workers.poll_interval_ms'),
    // Unless somebody asks for another, the queues know best how long a lease of theirs should be.
    ...(isOwn(config.origin('workers.lease_timeout_seconds'))
      ? { leaseMs: config.get('workers.lease_timeout_seconds') * 1000 }
      : {}),
  }
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
