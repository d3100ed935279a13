/**
 * A server in the place of a database, for commands that know only the store: as far as the server's API goes. Who did something is the key
 * then, and the tenant is the key's.
 */

import { Calls, received } from '../client/calls.js'
import { Client } from '../client/client.js'
import { listKinds } from '../client/kinds.js'
import type { TransportOptions } from '../client/transport.js'
import { toWire } from '../contract/case.js'
import { holdfastError } from '../domain/errors.js'
import { given } from '../domain/given.js'
import type { Store } from '../store/store.js'
import type { NewSubject, SubjectChanges, SubjectFilter } from '../store/subjects.js'
import { CommandError, EXIT } from './failure.js'
import { type Act, why } from './remote-act.js'
import { alertsPart, webhooksPart } from './remote-alerts.js'
import { keysPart } from './remote-keys.js'
import { remoteSchedules } from './remote-schedules.js'
import { auditPart, remoteExport, tenantsPart } from './remote-tenants.js'

/** A place in the feed before its first event. */
const BEFORE_EVERYTHING = '1:1:'
/** A server reads the feed once a second, so what happened a moment ago is there when this is over. */
const FEED_WAIT_SEC = 2
const LOOKED_UP_AT_ONCE = 1_000

export function remoteStore(server: TransportOptions): Store {
  const calls = new Calls(server)
  const client = new Client(server)
  const parts = {
    enqueueMany: (jobs: readonly object[], { idempotencyKey }: { idempotencyKey?: string } = {}) => {
      return enqueueMany(calls, jobs, idempotencyKey)
    },
    read: readPart(calls),
    list: listPart(calls, client),
    operate: operatePart(client),
    queues: queuesPart(client),
    alerts: alertsPart(client),
    webhooks: webhooksPart(client),
    schedules: remoteSchedules(client),
    kinds: { list: () => listKinds(calls) },
    subjects: subjectsPart(client),
    stats: { byQueue: () => client.queues.stats() },
    workers: {
      list: () => client.workers.list(),
      drain: (worker: string, act: Act) => client.workers.drain(worker, why(act)),
    },
    settings: settingsPart(client),
    keys: keysPart(calls),
    tenants: tenantsPart(calls),
    audit: auditPart(calls),
  }
  return onlyWhatIsThere(parts) as unknown as Store
}

async function enqueueMany(
  calls: Calls,
  jobs: readonly object[],
  idempotencyKey: string = crypto.randomUUID(),
) {
  const made = await calls.call('POST', '/api/v1/jobs/batch', {
    body: { jobs: jobs.map((job) => toWire<{ queue: string; kind: string }>(job)) },
    headers: { 'idempotency-key': idempotencyKey },
    repeatable: true,
  })
  return made.jobs.map(({ id: jobId, deduplicated }) => ({ jobId, deduplicated }))
}

function readPart(calls: Calls) {
  const of = (id: number) => ({ params: { id } })
  return {
    job: async (id: number) => received(await calls.call('GET', '/api/v1/jobs/{id}', of(id))),
    attempts: async (id: number) => {
      const { attempts } = await calls.call('GET', '/api/v1/jobs/{id}/attempts', of(id))
      return attempts.map((attempt) => received(attempt))
    },
    explain: async (id: number) => (await calls.call('GET', '/api/v1/jobs/{id}/explain', of(id))).reasons,
    report: (id: number) => calls.call('GET', '/api/v1/jobs/{id}/report', of(id)),
    exportItems: remoteExport(calls),
    feed: async (cursor?: string) => {
      const after = cursor === 'all' ? BEFORE_EVERYTHING : cursor
      const query = { after, wait_sec: FEED_WAIT_SEC }
      const { events, next_after } = await calls.call('GET', '/api/v1/events/next', { query })
      return {
        cursor: next_after,
        events: events.map((event) => received(event)),
      }
    },
  }
}

function listPart(calls: Calls, client: Client) {
  return {
    jobs: async ({ tenant: _byTheKey, ...filter }: Record<string, unknown>) => {
      const { jobs, next } = await client.list(filter)
      return { rows: jobs, next }
    },
    queueCounts: async () => {
      const { queues } = await client.queues.list()
      return queues.map(({ id, counts }) => ({ queueId: id, ...counts }))
    },
    liveKinds: async () => (await calls.call('GET', '/api/v1/kinds', {})).kinds,
    named: async (jobIds: readonly number[]) => {
      const ids = [...new Set(jobIds)]
      const found = []
      for (let n = 0; n < ids.length; n += LOOKED_UP_AT_ONCE) {
        const body = { job_ids: ids.slice(n, n + LOOKED_UP_AT_ONCE) }
        found.push(...(await calls.call('POST', '/api/v1/jobs/lookup', { body, repeatable: true })).jobs)
      }
      return found.map((job) => received(job))
    },
    blockedTargets: ({ tenant: _byTheKey, ...filter }: { tenant?: string; queue?: string; limit?: number }) =>
      client.queues.blockedTargets(filter),
  }
}

function operatePart({ jobs }: Client) {
  return {
    cancel: (id: number, act: Act) => jobs.cancel(id, why(act)),
    retry: async (id: number, act: Act) => {
      const { id: jobId, state } = await jobs.retry(id, why(act))
      return { jobId, state }
    },
    resume: async (id: number, act: Act) => (await jobs.resume(id, why(act))).state,
    skip: async (id: number, act: Act) => (await jobs.skip(id, why(act))).state,
    discard: async (id: number, act: Act) => (await jobs.discard(id, why(act))).state,
    boost: (id: number, by: number, act: Act) => jobs.boost(id, by, why(act)),
    setPriority: (id: number, priority: number, act: Act) => jobs.setPriority(id, priority, why(act)),
  }
}

function queuesPart({ queues }: Client) {
  return {
    list: async () => {
      const { queues: all } = await queues.list()
      return all.map(({ policy, counts: _counts, ...queue }) => ({ ...policy, ...queue }))
    },
    get: async (name: string) => {
      const { policy, ...queue } = await queues.get(name)
      return { ...policy, ...queue }
    },
    pause: (name: string, act: Act) => queues.pause(name, why(act)),
    resume: (name: string, act: Act) => queues.resume(name, why(act)),
  }
}

function subjectsPart({ subjects }: Client) {
  const list = async ({ queue, name, stale, limit }: SubjectFilter) =>
    (await subjects.list(given({ queue, name, stale, limit }))).subjects
  return {
    list,
    find: async (queue: string, name: string) => {
      const [found] = await list({ queue, name })
      if (found === undefined) throw holdfastError('unknown_subject', { subject: name })
      return found
    },
    add: async ({ tenant: _byTheKey, actor: _theKey, reason, ...subject }: NewSubject) =>
      (await subjects.add(subject, given({ reason }))).id,
    set: async (id: number, { actor: _theKey, reason, ...change }: SubjectChanges) => {
      await subjects.set(id, change, given({ reason }))
    },
    remove: (id: number, act: Act) => subjects.remove(id, why(act)),
  }
}

function settingsPart({ settings }: Client) {
  return {
    list: () => settings.list(),
    get: async (name: string) => (await settings.get(name)).value,
    set: (name: string, value: number, act: Act) => settings.set(name, value, why(act)),
    reset: (name: string, act: Act) => settings.reset(name, why(act)),
  }
}

/** What a server does not offer is refused with words, not with "is not a function". */
function onlyWhatIsThere<T extends object>(parts: T): T {
  return new Proxy(parts, {
    get(target, name) {
      const part: unknown = Reflect.get(target, name)
      if (typeof part === 'object' && part !== null) return onlyWhatIsThere(part)
      // A promise is looked for by everybody who awaits.
      if (part !== undefined || typeof name === 'symbol' || name === 'then') return part
      throw new CommandError({
        code: 'not_over_http',
        message: 'This command needs the database itself; a server does not offer what it asks for.',
        remedy: 'Run it with --url or DATABASE_URL, without --server.',
        exitCode: EXIT.usage,
      })
    },
  })
}
