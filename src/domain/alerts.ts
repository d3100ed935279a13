/**
 * The alert rules. Each rule compares one value of each subject (a queue, a kind in a queue, a schedule, the
 * installation) with a threshold. The threshold is a setting, which a tenant may override for all subjects or
 * for one.
 *
 * The database evaluates the rules (sql/functions/alerts/check_alerts.sql); this table has their names,
 * settings and sentences.
 */
import type { Setting } from './settings.js'

const DAY_SEC = 24 * 60 * 60
const HOUR_SEC = 60 * 60

export const ALERT_STATES = ['pending', 'firing', 'cleared'] as const
export type AlertState = (typeof ALERT_STATES)[number]

/** What can happen to an alert. passed: it was over before it had lasted long enough to fire. */
export const ALERT_EVENTS = [...ALERT_STATES, 'passed', 'silenced', 'unsilenced'] as const

/** The events that webhooks receive. */
export const NOTIFIED_EVENTS = ['firing', 'cleared'] as const

/** The state of a delivery. dropped: never sent, because too many waited or the webhook was disabled. */
export const DELIVERY_STATES = ['waiting', 'delivered', 'failed', 'dropped'] as const

/** What an alert reports. */
export interface AlertFacts {
  readonly rule: string
  /** The queue, `queue/kind`, the schedule; '' is the installation. */
  readonly subject: string
  readonly value: number | null
  readonly threshold: number | null
  readonly data: Readonly<Record<string, unknown>> | null
}

interface AlertRuleDefinition {
  readonly setting: keyof typeof ALERT_SETTINGS
  /** Of value and threshold. */
  readonly unit: 'jobs' | 'percent' | 'seconds' | 'ticks' | 'attempts'
  /** The condition as a sentence; the threshold is N. */
  readonly of: string
  /** One sentence for people. */
  readonly sentence: (facts: AlertFacts) => string
}

export const ALERT_SETTINGS = {
  ALERTS_PER_TENANT: {
    default: 100,
    min: 1,
    max: 1_000,
    of: 'alerts of one tenant that stand at once; what is found beyond is raised when others have cleared',
  },
  ALERT_EVERY_SEC: {
    default: 15,
    min: 1,
    max: HOUR_SEC,
    of: 'seconds between two evaluations of the alerts',
  },
  ALERT_FOR_SEC: {
    default: 60,
    min: 0,
    max: DAY_SEC,
    of: 'seconds something must be wrong before its alert fires',
  },
  ALERT_CLEAR_SEC: {
    default: 120,
    min: 0,
    max: DAY_SEC,
    of: 'seconds it must be right again before the alert clears',
  },
  ALERT_DAYS: { default: 30, min: 1, max: 3650, of: 'days the history of alerts is kept' },
  ALERT_DEPTH_JOBS: {
    default: 1000,
    min: 0,
    max: 100_000,
    of: 'claimable jobs of a queue above which it is too deep',
  },
  ALERT_FAILED_PERCENT: {
    default: 10,
    min: 0,
    max: 100,
    of: 'percent of the jobs that ended in 15 minutes above which too many failed',
  },
  ALERT_FAILED_MIN_ENDED: {
    default: 20,
    min: 1,
    max: 1_000_000,
    of: 'jobs that must have ended in those 15 minutes for the percentage to count',
  },
  ALERT_RUNNING_SEC: {
    default: HOUR_SEC,
    min: 1,
    max: 30 * DAY_SEC,
    of: 'seconds after which an attempt runs too long',
  },
  ALERT_LATE_TICKS: {
    default: 2,
    min: 1,
    max: 1000,
    of: 'rounds of the scheduler by which a schedule may be late',
  },
  ALERT_NO_WORKER_JOBS: {
    default: 0,
    min: 0,
    max: 100_000,
    of: 'jobs of a kind that no live worker knows above which one is missing',
  },
  ALERT_OLDEST_READY_SEC: {
    default: 900,
    min: 1,
    max: 30 * DAY_SEC,
    of: 'seconds after which a claimable job waits too long',
  },
  ALERT_LEASES_LOST: {
    default: 10,
    min: 0,
    max: 1_000_000,
    of: 'attempts of a queue that lost their lease in 15 minutes above which workers are dying',
  },
  ALERT_BLOCKED_SEC: {
    default: HOUR_SEC,
    min: 1,
    max: 365 * DAY_SEC,
    of: 'seconds after which a target is blocked too long',
  },
  ALERT_SNAPSHOT_SEC: {
    default: HOUR_SEC,
    min: 1,
    max: 30 * DAY_SEC,
    of: 'seconds after which an open transaction keeps the database from cleaning up',
  },
} as const satisfies Record<string, Setting>

export const ALERT_RULES = {
  depth: {
    setting: 'ALERT_DEPTH_JOBS',
    unit: 'jobs',
    of: 'more than N jobs of a queue wait to be claimed',
    sentence: ({ subject, threshold }) => `More than ${threshold} jobs wait in the queue ${subject}.`,
  },
  failed_rate: {
    setting: 'ALERT_FAILED_PERCENT',
    unit: 'percent',
    of: 'more than N % of the jobs of a queue that ended in the last 15 minutes failed',
    sentence: ({ subject, value, data }) =>
      `${value} % of the ${data?.ended} jobs of the queue ${subject} that ended in the last 15 minutes failed.`,
  },
  running_long: {
    setting: 'ALERT_RUNNING_SEC',
    unit: 'seconds',
    of: 'an attempt of a queue runs for more than N seconds',
    sentence: ({ subject, value, data }) =>
      `Job ${data?.job_id} of the queue ${subject} has been running for ${lasting(value)}.`,
  },
  schedule_late: {
    setting: 'ALERT_LATE_TICKS',
    unit: 'ticks',
    of: 'a schedule has been due for more than N rounds of the scheduler',
    sentence: ({ subject, value }) =>
      `The schedule ${subject} has been due for ${value} rounds of the scheduler and has not fired.`,
  },
  no_worker: {
    setting: 'ALERT_NO_WORKER_JOBS',
    unit: 'jobs',
    of: 'more than N jobs of a kind wait, and no live worker knows it',
    sentence: ({ data }) =>
      `Jobs of kind ${data?.kind} wait in the queue ${data?.queue}, and no live worker knows it.`,
  },
  oldest_ready: {
    setting: 'ALERT_OLDEST_READY_SEC',
    unit: 'seconds',
    of: 'a job of a queue has been claimable for more than N seconds',
    sentence: ({ subject, value }) =>
      `A job of the queue ${subject} could have been claimed for ${lasting(value)}, and was not.`,
  },
  leases_lost: {
    setting: 'ALERT_LEASES_LOST',
    unit: 'attempts',
    of: 'more than N attempts of a queue lost their lease in the last 15 minutes',
    sentence: ({ subject, value }) =>
      `${value} attempts of the queue ${subject} lost their lease in the last 15 minutes.`,
  },
  blocked_target: {
    setting: 'ALERT_BLOCKED_SEC',
    unit: 'seconds',
    of: 'a target of a queue has been blocked for more than N seconds',
    sentence: ({ subject, value, data }) =>
      `Job ${data?.job_id} has blocked the target ${data?.target} of the queue ${subject} for ${lasting(value)}.`,
  },
  old_snapshot: {
    setting: 'ALERT_SNAPSHOT_SEC',
    unit: 'seconds',
    of: 'a transaction has been open for more than N seconds and keeps the database from cleaning up',
    sentence: ({ value, data }) =>
      `A transaction of ${data?.who || 'an unknown user'} has been open for ${lasting(value)} and keeps the database from cleaning up.`,
  },
} as const satisfies Record<string, AlertRuleDefinition>

export type AlertRuleName = keyof typeof ALERT_RULES
export const ALERT_RULE_NAMES = Object.keys(ALERT_RULES) as AlertRuleName[]

/** The sentence of an alert. A newer package may have added a rule that this one has no sentence for. */
export function alertSentence(facts: AlertFacts): string {
  const rule = (ALERT_RULES as Record<string, AlertRuleDefinition>)[facts.rule]
  return (
    rule?.sentence(facts) ?? `${facts.rule} ${facts.subject}: ${facts.value} is more than ${facts.threshold}.`
  )
}

function lasting(seconds: number | null): string {
  const whole = Math.floor(seconds ?? 0)
  if (whole < 120) return `${whole} s`
  if (whole < 2 * HOUR_SEC) return `${Math.floor(whole / 60)} min`
  return whole < 2 * DAY_SEC ? `${Math.floor(whole / HOUR_SEC)} h` : `${Math.floor(whole / DAY_SEC)} days`
}
