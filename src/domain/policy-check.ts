/** Validates a policy: checks every field, refuses unknown ones with the nearest name, and names contradictions. */

import { invalidInput } from './errors/errors.js'
import { LIMITS } from './limits.js'
import { suggestion } from './nearest.js'
import { DEFAULT_POLICY, POLICY_VALUES, type Policy } from './policy.js'
import { SETTINGS_DEFAULTS } from './settings.js'

/** Returns what is wrong with a value, as the end of "must be …", or null. */
type Rule = (value: unknown) => string | null

const oneOf =
  (choices: readonly string[]): Rule =>
  (value) =>
    choices.includes(value as string) ? null : choices.map((choice) => `"${choice}"`).join(' or ')

const whole =
  (min: number, max: number): Rule =>
  (value) =>
    Number.isInteger(value) && (value as number) >= min && (value as number) <= max
      ? null
      : `a whole number from ${min} to ${max}`

const fraction =
  (min: number, max: number): Rule =>
  (value) =>
    typeof value === 'number' && value >= min && value <= max ? null : `a number from ${min} to ${max}`

const truth: Rule = (value) => (typeof value === 'boolean' ? null : 'true or false')

const shortText =
  (what: string): Rule =>
  (value) =>
    typeof value === 'string' && value.length >= 1 && value.length <= LIMITS.nameChars.hardMax
      ? null
      : `${what}, 1 to ${LIMITS.nameChars.hardMax} characters`

const orNull =
  (rule: Rule, meaning: string): Rule =>
  (value) => {
    const problem = value === null ? null : rule(value)
    return problem === null ? null : `${problem}, or null (${meaning})`
  }

const asSet = 'as the settings say'
const { leaseMs, maxRetries, timeoutMs, crashBudget, delayMs } = LIMITS

const RULES: Readonly<Record<keyof Policy, Rule>> = {
  order: oneOf(POLICY_VALUES.order),
  maxRetries: orNull(whole(maxRetries.min, maxRetries.hardMax), asSet),
  retryBaseMs: orNull(whole(0, delayMs.hardMax), asSet),
  retryFactor: fraction(1, 100),
  retryCapMs: orNull(whole(0, delayMs.hardMax), asSet),
  jitterLow: fraction(-1, 1),
  jitterHigh: fraction(-1, 1),
  leaseMs: orNull(whole(leaseMs.min, leaseMs.hardMax), asSet),
  heartbeatMs: orNull(whole(100, leaseMs.hardMax), 'no heartbeat'),
  renewedBy: oneOf(POLICY_VALUES.renewedBy),
  onLeaseLost: oneOf(POLICY_VALUES.onLeaseLost),
  crashBudget: orNull(whole(crashBudget.min, crashBudget.hardMax), 'unlimited'),
  onCancel: oneOf(POLICY_VALUES.onCancel),
  onShutdown: oneOf(POLICY_VALUES.onShutdown),
  serializeTargets: truth,
  onError: oneOf(POLICY_VALUES.onError),
  dedup: oneOf(POLICY_VALUES.dedup),
  dedupBy: oneOf(POLICY_VALUES.dedupBy),
  strict: truth,
  timeoutMs: orNull(whole(timeoutMs.min, timeoutMs.hardMax), 'no limit'),
  itemsKey: orNull(shortText('the name of a field'), 'no duplicates by key'),
  externalTrigger: orNull(shortText('the name of a trigger'), 'no trigger'),
  maxRunning: orNull(whole(1, 1_000_000), 'no limit'),
  maxRunningPerTarget: whole(1, 1_000),
  rateLimit: orNull(whole(1, 1_000_000), 'no limit'),
  ratePeriodMs: whole(1, delayMs.hardMax),
  rateBurst: orNull(whole(1, 1_000_000), 'as many as the rate'),
  ratePerKey: truth,
  retentionMs: orNull(whole(1, Number.MAX_SAFE_INTEGER), 'for ever'),
  recordStarts: truth,
  unknownKinds: oneOf(POLICY_VALUES.unknownKinds),
}

/** The base policy with the overrides applied. A field that is undefined counts as not given. */
export function parsePolicy(overrides: unknown, base: Policy = DEFAULT_POLICY, path = '/policy'): Policy {
  if (typeof overrides !== 'object' || overrides === null || Array.isArray(overrides)) {
    throw invalidInput(path, 'must be an object')
  }
  const given: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(overrides)) {
    if (!Object.hasOwn(RULES, name)) {
      throw invalidInput(
        `${path}/${name.slice(0, 100)}`,
        `is not a policy.${suggestion(name, Object.keys(RULES))}`,
      )
    }
    if (value === undefined) continue
    const problem = RULES[name as keyof Policy](value)
    if (problem !== null) throw invalidInput(`${path}/${name}`, `must be ${problem}`)
    given[name] = value
  }
  const policy = withFittingHeartbeat({ ...base, ...given } as Policy, 'heartbeatMs' in given)
  refuseContradictions(policy, path)
  return policy
}

/**
 * A caller who changes only the lease, or only what renews it, need not know the heartbeat:
 * three heartbeats in a lease leaves room for two to get lost.
 */
function withFittingHeartbeat(policy: Policy, heartbeatGiven: boolean): Policy {
  if (heartbeatGiven) return policy
  if (policy.renewedBy !== 'heartbeat') return { ...policy, heartbeatMs: null }
  const third = Math.floor(effectiveLeaseMs(policy) / 3)
  return { ...policy, heartbeatMs: Math.min(policy.heartbeatMs ?? third, third) }
}

function refuseContradictions(policy: Policy, path: string): void {
  if (policy.jitterLow > policy.jitterHigh)
    throw invalidInput(`${path}/jitterLow`, 'must not be above jitterHigh')
  if (policy.retryBaseMs !== null && policy.retryCapMs !== null && policy.retryBaseMs > policy.retryCapMs) {
    throw invalidInput(`${path}/retryBaseMs`, 'must not be above retryCapMs')
  }
  if (policy.renewedBy === 'heartbeat' && policy.heartbeatMs === null) {
    throw invalidInput(`${path}/heartbeatMs`, 'is needed when renewedBy is "heartbeat"')
  }
  if (policy.renewedBy !== 'heartbeat' && policy.heartbeatMs !== null) {
    throw invalidInput(`${path}/heartbeatMs`, `must be null when renewedBy is "${policy.renewedBy}"`)
  }
  if (policy.heartbeatMs !== null && policy.heartbeatMs * 2 > effectiveLeaseMs(policy)) {
    throw invalidInput(
      `${path}/heartbeatMs`,
      'must be at most half of the lease, or one late heartbeat loses the job',
    )
  }
  if (policy.ratePerKey && policy.rateLimit === null) {
    throw invalidInput(`${path}/ratePerKey`, 'needs a rateLimit')
  }
  if (policy.strict && policy.dedup === 'replace') {
    throw invalidInput(
      `${path}/dedup`,
      'must not be "replace" in a strict queue, where only a worker ends a job',
    )
  }
}

function effectiveLeaseMs(policy: Policy): number {
  return policy.leaseMs ?? SETTINGS_DEFAULTS.LEASE_SEC_DEFAULT * 1000
}
