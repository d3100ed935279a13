/** What a configuration says about working, as options of `work()`. */
import { PACKAGED } from '../config/files.js'
import type { Config } from '../config/resolve.js'
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

/** Said by whoever runs this, not by what came with Holdfast. */
const isOwn = (origin: string): boolean => origin !== 'default' && origin !== PACKAGED
