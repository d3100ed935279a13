/**
 * The ports of a worker over HTTP. Like the ports of the store, a claim is sent once, because it may have taken effect, and fenced writes
 * are retried.
 */
import { toWire } from '../contract/case.js'
import { cleanJson } from '../domain/clean.js'
import { HoldfastError, holdfastError, LeaseLost } from '../domain/errors/errors.js'
import type {
  ClaimedJob,
  Ended,
  Ending,
  Fence,
  JobAttempt,
  Presence,
  Renewed,
  Report,
  WorkPort,
} from '../domain/port.js'
import { given } from '../json/given.js'
import { Calls, received } from './calls.js'
import { plainError } from './plain-error.js'
import type { TransportOptions } from './transport.js'

/** Timeouts as with a database: 5 s for a claim, 10 s for everything else. */
const CLAIM_MS = 5_000
const CALL_MS = 10_000
/** The worker retries by itself. */
const RETRIES = 1

const again = { repeatable: true, timeoutMs: CALL_MS }

export function httpPort(options: TransportOptions): WorkPort {
  const calls = new Calls({ retries: RETRIES, ...options })
  return guarded({ ...claiming(calls), ...ending(calls), ...holding(calls), ...presenceCalls(calls) })
}

function claiming(calls: Calls): Pick<WorkPort, 'claim' | 'start' | 'queueName'> {
  const names = new Map<number, string>()
  return {
    claim: async ({ worker, lease, queues, limit, startNow, eager }) => {
      const body = { worker, lease, queues: [...queues], limit, ...given({ start_now: startNow, eager }) }
      const { jobs } = await calls.call('POST', '/api/v1/work/claim', { body, timeoutMs: CLAIM_MS })
      return jobs.map(({ queue, ...job }) => {
        names.set(job.queue_id, queue)
        const { progress, ...rest } = received(job)
        return { ...rest, progress: progress === null ? null : received(progress) } satisfies ClaimedJob
      })
    },
    start: async (fences) => {
      const body = { jobs: fences.map((one) => ({ ...fenceOf(one), ...agoOf(one) })) }
      const { jobs } = await calls.call('POST', '/api/v1/work/start', { body, ...again })
      return jobs.map((one) => received(one))
    },
    queueName: (queueId) => names.get(queueId),
  }
}

function ending(calls: Calls): Pick<WorkPort, 'report' | 'finish' | 'logLines'> {
  return {
    report: async (report) => {
      const body = reportOf(report)
      return received(await calls.call('POST', '/api/v1/work/report', { body, ...again }))
    },
    logLines: async (lines) => {
      const body = { jobs: lines.map((each) => ({ ...fenceOf(each), text: each.text })) }
      return (await calls.call('POST', '/api/v1/work/log', { body, timeoutMs: CALL_MS })).logged
    },
    finish: async (endings) => {
      const body = { jobs: endings.map(endingOf) }
      const { jobs } = await calls.call('POST', '/api/v1/work/finish', { body, ...again })
      return jobs.map((one) => endedOf(received(one)))
    },
  }
}

function holding(calls: Calls): Pick<WorkPort, 'openLease' | 'renew' | 'releaseUnlisted' | 'closeLease'> {
  return {
    openLease: async (worker, leaseMs) => {
      const body = { worker, lease_ms: leaseMs }
      return received(await calls.call('POST', '/api/v1/work/leases', { body, timeoutMs: CALL_MS }))
    },
    renew: async (leases, { seen = [], deadlineMs = CALL_MS } = {}) => {
      const body = { leases: [...leases], ...(seen.length === 0 ? {} : { seen: seen.map(attemptOf) }) }
      const answer = await calls.call('POST', '/api/v1/work/renew', { body, ...again, timeoutMs: deadlineMs })
      return answer.leases.map(({ cancel, revoked, ...one }): Renewed => {
        const attempts = { cancel: cancel.map(received), revoked: revoked.map(received) }
        return { ...received(one), ...attempts }
      })
    },
    releaseUnlisted: async (lease, known, olderThanMs) => {
      const body = { lease, jobs: known.map(attemptOf), older_than_ms: olderThanMs }
      return (await calls.call('POST', '/api/v1/work/release-unlisted', { body, ...again })).released
    },
    closeLease: async (lease, reason, started) => {
      const body = { lease, ...given({ reason, started: started && [...started] }) }
      return (await calls.call('POST', '/api/v1/work/leases/close', { body, ...again })).released
    },
  }
}

function presenceCalls(
  calls: Calls,
): Pick<WorkPort, 'heartbeat' | 'removeWorker' | 'unpark' | 'depth' | 'recordScale'> {
  return {
    heartbeat: (presence) =>
      calls.call('POST', '/api/v1/work/heartbeat', { body: presenceOf(presence), ...again }),
    removeWorker: async (worker) => {
      await calls.call('POST', '/api/v1/work/remove-worker', { body: { worker }, ...again })
    },
    unpark: async (queues, kinds) => {
      const body = { queues: [...queues], kinds: [...kinds] }
      return (await calls.call('POST', '/api/v1/work/unpark', { body, ...again })).unparked
    },
    depth: async (queues, max) => {
      const body = { queues: [...queues], max }
      return (await calls.call('POST', '/api/v1/work/depth', { body, ...again })).depth
    },
    recordScale: async (worker, { tenant: _byTheKey, ...decision }) => {
      const body = { worker, ...decision }
      await calls.call('POST', '/api/v1/work/scale', { body, timeoutMs: CALL_MS })
    },
  }
}

/** For the heartbeat thread, which has its own connections. */
export async function openPort(options: TransportOptions): Promise<WorkPort> {
  return httpPort(options)
}

/** Errors of the server about the content of a call. */
const ABOUT_THE_CONTENT = new Set([
  'invalid_input',
  'payload_too_large',
  'too_deep',
  'lease_lost',
  'lease_gone',
  'lease_stale',
  'conflict',
])

/**
 * A worker treats an error about an ending as final and replaces the ending. An expired key, an exceeded rate limit or an error of a proxy
 * say nothing about the ending, so they become `server_unreachable`, and the worker retries.
 */
function guarded(port: WorkPort): WorkPort {
  const calls = Object.entries(port).map(([name, call]) => {
    if (name === 'queueName') return [name, call]
    const called = (...args: unknown[]) =>
      (call as (...args: unknown[]) => Promise<unknown>)(...args).catch((error: unknown) => {
        if (!(error instanceof HoldfastError) || error.status >= 500 || ABOUT_THE_CONTENT.has(error.code))
          throw error
        throw holdfastError('server_unreachable', { problem: error.message }, { cause: error })
      })
    return [name, called]
  })
  return Object.fromEntries(calls) as WorkPort
}

function attemptOf({ jobId, attempt }: JobAttempt) {
  return { job_id: jobId, attempt }
}

function fenceOf({ jobId, attempt, lease }: Fence) {
  return { job_id: jobId, attempt, lease }
}

function agoOf({ startedAgoMs }: { startedAgoMs?: number | undefined }) {
  // JSON has no NaN and no Infinity; such a duration is left out.
  return startedAgoMs === undefined || !Number.isFinite(startedAgoMs) ? {} : { started_ago_ms: startedAgoMs }
}

function reportOf({ items, ...rest }: Report) {
  return {
    ...toWire<ReturnType<typeof fenceOf>>(rest),
    ...(items === undefined ? {} : { items: [...items] }),
  }
}

function endingOf(ending: Ending) {
  const { startedAgoMs: _ago, error, result, ...rest } = ending
  return {
    ...toWire<ReturnType<typeof fenceOf> & Pick<Ending, 'outcome'>>(rest),
    ...agoOf(ending),
    ...(result === undefined ? {} : { result: sendable(result) }),
    ...(error === undefined ? {} : { error: plainError(error) }),
  }
}

/** A handler may return anything; a value that JSON cannot represent must not keep the attempt from ending. */
function sendable(result: unknown): unknown {
  const { json, cleaned } = cleanJson(result)
  return cleaned ? JSON.parse(json) : result
}

function endedOf(one: Omit<Ended, 'error'>): Ended {
  const { jobId, attempt } = one
  return { ...one, error: one.accepted ? null : new LeaseLost({ job: jobId, attempt }) }
}

function presenceOf({ tenant: _byTheKey, ...presence }: Presence) {
  return toWire<
    Omit<Presence, 'tenant' | 'lagMs' | 'kinds' | 'queues'> & {
      lag_ms: number
      kinds: string[]
      queues: string[]
    }
  >(presence)
}
