/**
 * Settings that change while everything runs. A policy that leaves a value open (null) takes it from here at the moment it
 * is needed, so a job without its own number of attempts follows the setting as it is when the attempt fails.
 */

import { ALERT_SETTINGS } from './alerts.js'
import { holdfastError, invalidInput } from './errors/errors.js'
import { nearest } from './nearest.js'
import type { Policy } from './policy.js'

export interface Setting {
  readonly default: number
  readonly min: number
  readonly max: number
  readonly of: string
  /** Where it holds, if not everywhere; a test compares it with the presets. */
  readonly only?: string
}

/** What a policy leaves open is taken from the setting; of the presets only `harvest` leaves these open. */
const LEFT_OPEN = 'only for queues of the preset harvest, and others whose policy leaves it open'
const BY_PRIORITY = 'only for queues ordered by priority, as those of the presets default and crawl are'

const DAY_SEC = 24 * 60 * 60

export const SETTINGS = {
  LEASE_SEC_DEFAULT: {
    default: 60,
    min: 1,
    max: DAY_SEC,
    of: 'seconds a lease lasts when neither queue nor claim says',
    only: LEFT_OPEN,
  },
  BACKOFF_BASE_SEC: {
    default: 30,
    min: 0,
    max: DAY_SEC,
    of: 'seconds before the first retry',
    only: LEFT_OPEN,
  },
  BACKOFF_MAX_SEC: {
    default: 3600,
    min: 0,
    max: 30 * DAY_SEC,
    of: 'most seconds between two retries, before jitter',
    only: LEFT_OPEN,
  },
  MAX_ATTEMPTS_DEFAULT: {
    default: 5,
    min: 1,
    max: 1001,
    of: 'runs of a job, the first one included',
    only: LEFT_OPEN,
  },
  PARTITION_JOBS: {
    default: 1_000_000,
    min: 1_000,
    max: 1_000_000_000,
    of: 'jobs in one range of history, for ranges made from now on',
  },
  AGE_AFTER_SEC: {
    default: 3600,
    min: 1,
    max: 30 * DAY_SEC,
    of: 'seconds a job waits before its priority rises',
    only: BY_PRIORITY,
  },
  AGE_STEP: {
    default: 10,
    min: 0,
    max: 100,
    of: 'how much the priority of a waiting job rises at once',
    only: BY_PRIORITY,
  },
  AGE_CAP: {
    default: 100,
    min: 0,
    max: 100,
    of: 'how high waiting alone can raise a priority',
    only: BY_PRIORITY,
  },
  AGE_EVERY_SEC: {
    default: 300,
    min: 1,
    max: DAY_SEC,
    of: 'seconds between two rises of a waiting job’s priority',
    only: BY_PRIORITY,
  },
  RECLAIM_INTERVAL_MS: {
    default: 1000,
    min: 50,
    max: 60_000,
    of: 'milliseconds between two looks for leases that have run out',
  },
  UPKEEP_EVERY_SEC: {
    default: 300,
    min: 1,
    max: DAY_SEC,
    of: 'seconds between two rounds of tidying up',
  },
  SCHEDULER_EVERY_SEC: {
    default: 60,
    min: 1,
    max: DAY_SEC,
    of: 'seconds between two looks for schedules to fire, where none is known to be due sooner',
  },
  STALE_CHECK_EVERY_SEC: {
    default: 6 * 60 * 60,
    min: 1,
    max: 7 * DAY_SEC,
    of: 'seconds between two looks for subjects that are due again',
  },
  PROCESSING_POLL_MS: {
    default: 5000,
    min: 50,
    max: 60_000,
    of: 'longest milliseconds between two polls of an idle worker that gets wake-ups',
  },
  ROLLUP_EVERY_SEC: {
    default: 60,
    min: 1,
    max: DAY_SEC,
    of: 'seconds between two rounds of counting what happened',
  },
  ROLLUP_DAYS: {
    default: 30,
    min: 1,
    max: 3650,
    of: 'days the counts of each minute are kept',
  },
  STALE_DAYS: { default: 30, min: 1, max: 3650, of: 'days after which a subject is due again' },
  RESET_CRAWLING_AFTER_MIN: {
    default: 15,
    min: 1,
    max: 7 * 24 * 60,
    of: 'minutes without progress after which a crawl counts as lost',
    only: 'only for queues of the preset crawl',
  },
  SHUTDOWN_GRACE_PERIOD_SECONDS: {
    default: 300,
    min: 0,
    max: DAY_SEC,
    of: 'seconds a worker that was asked to end gives its running jobs',
  },
  FIRING_DAYS: { default: 90, min: 1, max: 3650, of: 'days the firings of schedules are kept' },
  AUDIT_DAYS: {
    default: 90,
    min: 1,
    max: 3650,
    of: 'days the calls of the server are kept in its audit log',
  },
  ...ALERT_SETTINGS,
} as const satisfies Record<string, Setting>

export type SettingName = keyof typeof SETTINGS
export type SettingsByName = Readonly<Record<SettingName, number>>

/** What a setting is, with where it holds. */
export function settingOf(name: SettingName): string {
  const { of, only }: Setting = SETTINGS[name]
  return only === undefined ? of : `${of}; ${only}`
}

export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[]

export const SETTINGS_DEFAULTS = Object.fromEntries(
  SETTING_NAMES.map((name) => [name, SETTINGS[name].default]),
) as SettingsByName

/** Settings of this process: a flag or a variable wins over the database, a file yields to it. */
export interface LocalSettings {
  readonly overrides?: Readonly<Partial<SettingsByName>>
  readonly defaults?: Readonly<Partial<SettingsByName>>
}

/** The value that holds in a process. */
export function settingHere(
  name: SettingName,
  { overrides = {}, defaults = {} }: LocalSettings,
  kept: { readonly value: number; readonly origin: 'default' | 'set' } | undefined,
): number {
  const set = kept?.origin === 'set' ? kept.value : undefined
  return overrides[name] ?? set ?? defaults[name] ?? kept?.value ?? SETTINGS[name].default
}

/** A policy with nothing left open. */
export type ResolvedPolicy = Omit<Policy, 'maxRetries' | 'retryBaseMs' | 'retryCapMs' | 'leaseMs'> & {
  readonly maxRetries: number
  readonly retryBaseMs: number
  readonly retryCapMs: number
  readonly leaseMs: number
}

/** The settings a policy can leave a value to. */
type PolicySettings = Pick<
  SettingsByName,
  'LEASE_SEC_DEFAULT' | 'BACKOFF_BASE_SEC' | 'BACKOFF_MAX_SEC' | 'MAX_ATTEMPTS_DEFAULT'
>

/** The job's own number of retries wins over the queue's, and that over the setting. */
export function resolvePolicy(
  policy: Policy,
  settings: PolicySettings = SETTINGS_DEFAULTS,
  job: { readonly maxRetries?: number | null } = {},
): ResolvedPolicy {
  const leaseMs = policy.leaseMs ?? settings.LEASE_SEC_DEFAULT * 1000
  return {
    ...policy,
    maxRetries: job.maxRetries ?? policy.maxRetries ?? settings.MAX_ATTEMPTS_DEFAULT - 1,
    retryBaseMs: policy.retryBaseMs ?? settings.BACKOFF_BASE_SEC * 1000,
    retryCapMs: policy.retryCapMs ?? settings.BACKOFF_MAX_SEC * 1000,
    leaseMs,
    // The setting may have become shorter than the queue's heartbeat was chosen for.
    heartbeatMs: policy.heartbeatMs === null ? null : Math.min(policy.heartbeatMs, Math.floor(leaseMs / 2)),
  }
}

/** Refuses an unknown name, with the nearest one. */
export function checkSettingName(name: string): SettingName {
  if (Object.hasOwn(SETTINGS, name)) return name as SettingName
  throw holdfastError('unknown_setting', { name: name.slice(0, 100), nearest: nearest(name, SETTING_NAMES) })
}

/** Refuses an unknown name and a value out of bounds. */
export function checkSetting(name: string, value: unknown): { name: SettingName; value: number } {
  const known = checkSettingName(name)
  const { min, max } = SETTINGS[known]
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) {
    throw invalidInput('/value', `${name} must be a whole number from ${min} to ${max}`)
  }
  return { name: known, value }
}
