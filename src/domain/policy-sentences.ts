/** The policy of a queue in sentences, for people who decide whether it is the right one. */
import type { Policy } from './policy.js'

/** One sentence for each choice that a reader may ask about. */
export function policySentences(policy: Policy): string[] {
  return [
    orderOf(policy),
    retriesOf(policy),
    leaseOf(policy),
    lossOf(policy),
    targetsOf(policy),
    policy.timeoutMs === null ? '' : `An attempt may take ${lasting(policy.timeoutMs)}.`,
    mostOf(policy),
    rateOf(policy),
    dedupOf(policy),
    policy.strict ? 'A job that has ended never runs again.' : '',
    policy.externalTrigger === null ? '' : `Workers are notified through ${policy.externalTrigger}.`,
    policy.retentionMs === null
      ? 'Ended jobs are stored for ever.'
      : `Ended jobs are stored for ${lasting(policy.retentionMs)}.`,
  ].filter((sentence) => sentence !== '')
}

function orderOf({ order }: Policy): string {
  return {
    priority: 'Jobs start by priority, the highest first, then in order of creation.',
    fifo: 'Jobs start in order of creation, whatever their priority.',
    global_fifo: 'Jobs start in order of creation over all queues with this order.',
  }[order]
}

function retriesOf({ maxRetries, retryBaseMs, retryFactor, retryCapMs }: Policy): string {
  if (maxRetries === 0) return 'A failed job is not retried.'
  const times = maxRetries === null ? 'as often as the settings allow' : `up to ${maxRetries} times`
  if (retryBaseMs === null) return `A failed job is retried ${times}, with the backoff of the settings.`
  if (retryBaseMs === 0) return `A failed job is retried ${times}, at once.`
  const grows = retryFactor === 1 ? '' : `, then ${retryFactor} times longer each time`
  const cap = retryFactor === 1 || retryCapMs === null ? '' : `, up to ${lasting(retryCapMs)}`
  return `A failed job is retried ${times}: after ${lasting(retryBaseMs)}${grows}${cap}.`
}

function leaseOf({ leaseMs, renewedBy }: Policy): string {
  const lease = leaseMs === null ? 'as long as the settings say' : lasting(leaseMs)
  return {
    heartbeat: `A worker holds a job for ${lease} without a heartbeat.`,
    report: `A worker holds a job for ${lease} without a report of progress.`,
    nothing: `A worker holds a job for ${lease}, and no longer.`,
  }[renewedBy]
}

function lossOf({ onLeaseLost, crashBudget }: Policy): string {
  const budget = crashBudget === null ? '' : ` After ${crashBudget} losses in a row it fails.`
  return {
    retry: `A job whose worker is lost goes back to the queue.${budget}`,
    count: `A job whose worker is lost goes back to the queue, and the loss counts as a failure.${budget}`,
    error: 'A job whose worker is lost waits for an operator.',
  }[onLeaseLost]
}

function targetsOf({ serializeTargets, maxRunningPerTarget, onError }: Policy): string {
  if (!serializeTargets) return ''
  const limit =
    maxRunningPerTarget === 1
      ? 'Jobs of one target run one after the other'
      : `At most ${maxRunningPerTarget} jobs of one target run at once`
  return onError === 'block'
    ? `${limit}; a failed one blocks its target until an operator decides.`
    : `${limit}.`
}

function mostOf({ maxRunning }: Policy): string {
  if (maxRunning === null) return ''
  return `At most ${maxRunning === 1 ? '1 job runs' : `${maxRunning} jobs run`} at once, over all workers.`
}

function rateOf({ rateLimit, ratePeriodMs, rateBurst, ratePerKey }: Policy): string {
  if (rateLimit === null) return ''
  const burst = rateBurst === null ? '' : `, ${rateBurst} at once`
  return `At most ${rateLimit} jobs start in ${lasting(ratePeriodMs)}${ratePerKey ? ' for each key' : ''}${burst}.`
}

function dedupOf({ dedup, dedupBy }: Policy): string {
  const same = dedupBy === 'key' ? 'the key' : 'the key or subject'
  return {
    return_existing: `Enqueuing ${same} of a live job returns that job.`,
    replace: `Enqueuing ${same} of a live job replaces that job.`,
    reject: `Enqueuing ${same} of a live job is refused.`,
  }[dedup]
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

/** In the largest unit that divides it: 90 minutes, not 1.5 hours. */
function lasting(ms: number): string {
  const [unit, length] = UNITS.find(([, each]) => ms >= each && ms % each === 0) ?? ['millisecond', 1]
  const n = ms / length
  return `${n.toLocaleString('en-US')} ${unit}${n === 1 ? '' : 's'}`
}
