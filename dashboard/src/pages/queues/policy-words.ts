/** The policy of a queue as sentences that an operator can check against what they see. */
import type { AnswerOf } from '../../api/contract.js'
import { count, formatDuration, formatNumber } from '../../ui/format.js'

export type QueuePolicy = AnswerOf<'GET /api/v1/queues/{name}'>['policy']

/** A subject and what the policy says about it. */
export type PolicyLine = readonly [subject: string, sentence: string]

export function policyInWords(policy: QueuePolicy): PolicyLine[] {
  return [
    ['Order', ORDER[policy.order]],
    ['Retries', retries(policy)],
    ['Lease', lease(policy)],
    ['Lost lease', lostLease(policy)],
    ['Time limit', timeLimit(policy)],
    ['Targets', targets(policy)],
    ['Failure', FAILURE[policy.on_error]],
    ['Limits', limits(policy)],
    ['Duplicates', duplicates(policy)],
    ['Cancel', policy.on_cancel === 'cancel' ? 'Cancels a running job.' : 'Pauses a running job.'],
    ['Shutdown', SHUTDOWN[policy.on_shutdown]],
    ['Retention', retention(policy)],
    ['Unknown kinds', UNKNOWN_KINDS[policy.unknown_kinds]],
    ...(policy.strict
      ? [['Strict', 'An ended job stays ended: only a new job can follow it.'] as const]
      : []),
  ]
}

const ORDER: Record<QueuePolicy['order'], string> = {
  priority: 'The highest priority first, then the oldest.',
  fifo: 'The oldest first; priorities do not count.',
  global_fifo: 'The oldest first, across all queues with this order.',
}

const FAILURE: Record<QueuePolicy['on_error'], string> = {
  continue: 'A failed job ends; the next job of its target runs.',
  block: 'A failed job holds its target until a person resumes, skips or cancels it.',
}

const SHUTDOWN: Record<QueuePolicy['on_shutdown'], string> = {
  release: 'A worker that drains gives unfinished jobs back to the queue.',
  pause: 'A worker that drains pauses unfinished jobs.',
}

const UNKNOWN_KINDS: Record<QueuePolicy['unknown_kinds'], string> = {
  refuse: 'Kinds that no program declares are refused.',
  accept: 'Kinds that no program declares are accepted.',
}

/** Round seconds have no tenths: 5 s. */
const short = (ms: number) => formatDuration(ms).replace('.0 s', ' s')

function retries(policy: QueuePolicy): string {
  const { max_retries: most, retry_base_ms: base, retry_factor: factor, retry_cap_ms: cap } = policy
  if (most === 0) return 'A failed job is not retried.'
  const times = most === null ? 'As often as the setting allows' : `Up to ${count(most, 'retry', 'retries')}`
  if (base === null) return `${times}, with the backoff of the settings.`
  const growth = factor === 1 ? '' : `, then ${formatNumber(factor)} times as long each time`
  const limit = cap === null ? '' : `, ${formatDuration(cap)} at most`
  return `${times}: the first after ${short(base)}${growth}${limit}.`
}

const RENEWED: Record<QueuePolicy['renewed_by'], string> = {
  heartbeat: 'the heartbeat of the worker renews it',
  report: 'only progress of the handler renews it',
  nothing: 'nothing renews it',
}

function lease(policy: QueuePolicy): string {
  const time = policy.lease_ms === null ? 'As long as the setting' : formatDuration(policy.lease_ms)
  return `${time}; ${RENEWED[policy.renewed_by]}.`
}

function lostLease(policy: QueuePolicy): string {
  if (policy.on_lease_lost === 'error') return 'A person decides what happens to the job.'
  const charged = policy.on_lease_lost === 'count' ? ', charged as a failed attempt' : ''
  const budget =
    policy.crash_budget === null ? '' : `; after ${formatNumber(policy.crash_budget)} in a row it fails`
  return `The job goes back to the queue${charged}${budget}.`
}

function timeLimit(policy: QueuePolicy): string {
  return policy.timeout_ms === null
    ? 'An attempt may take as long as its lease is renewed.'
    : `An attempt may take ${formatDuration(policy.timeout_ms)}.`
}

function targets(policy: QueuePolicy): string {
  if (!policy.serialize_targets) return 'Jobs of one target run side by side.'
  return policy.max_running_per_target === 1
    ? 'Jobs of one target run one at a time.'
    : `Up to ${formatNumber(policy.max_running_per_target)} jobs of one target run at a time.`
}

function limits(policy: QueuePolicy): string {
  const parts = [
    policy.max_running === null ? '' : `${count(policy.max_running, 'job')} at a time over all workers`,
    rateInWords(policy) ?? '',
  ].filter((each) => each !== '')
  return parts.length === 0 ? 'None: as many as the workers have slots.' : `${parts.join('; ')}.`
}

/** "100 starts per 1 min for each key, in bursts of 20". Null: there is no rate. */
export function rateInWords(policy: QueuePolicy): string | null {
  const { rate_limit: rate, rate_period_ms: period, rate_burst: burst, rate_per_key: perKey } = policy
  if (rate === null) return null
  const each = perKey ? ' for each key' : ''
  const bursts = burst === null || burst === rate ? '' : `, in bursts of ${formatNumber(burst)}`
  return `${count(rate, 'start')} per ${short(period)}${each}${bursts}`
}

const DEDUP: Record<QueuePolicy['dedup'], string> = {
  return_existing: 'the live job is returned instead',
  replace: 'the new job replaces the one that waits',
  reject: 'the new job is refused',
}

function duplicates(policy: QueuePolicy): string {
  const by = policy.dedup_by === 'subject' ? 'key or subject' : 'key'
  return `For a ${by} that a live job has, ${DEDUP[policy.dedup]}.`
}

function retention(policy: QueuePolicy): string {
  return policy.retention_ms === null
    ? 'Ended jobs are stored as long as the setting says.'
    : `Ended jobs are stored for ${formatDuration(policy.retention_ms)}.`
}
