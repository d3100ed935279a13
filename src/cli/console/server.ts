/**
 * The HTTP side of `Console`: commands with `--server` call the API and get the shapes the store has. The API key decides the tenant and is
 * recorded as the actor, so only the reason of a change is sent.
 */
import { Calls, pageOf, received } from '../../client/calls.js'
import { Client } from '../../client/client.js'
import { listKinds } from '../../client/kinds.js'
import type { TransportOptions } from '../../client/transport.js'
import { toWire } from '../../contract/case.js'
import type { errorsContract } from '../../contract/operate/errors.js'
import { holdfastError } from '../../domain/errors/errors.js'
import { LIMITS } from '../../domain/limits.js'
import { given } from '../../json/given.js'
import { exportItems, type ItemFormat } from '../../store/export-items.js'
import type { Attribution } from '../../store/job-commands.js'
import type { Item } from '../../store/rows.js'
import type { NewSubject, SubjectChanges, SubjectFilter } from '../../store/subjects.js'
import type { Console, ShownProblem } from './console.js'
import { alerts, audit, bulk, keys, reasonOf, schedules, tenants, webhooks } from './server-admin.js'

/** A feed cursor before the first event. */
const FEED_START = '1:1:'
/** Servers poll the feed once a second, so events of a moment ago arrive within this long poll. */
const FEED_WAIT_SEC = 2
const LOOKUP_BATCH_MAX = 1_000

export function serverConsole(server: TransportOptions): Console {
  const calls = new Calls(server)
  const client = new Client(server)
  return {
    enqueueMany: (jobs, options) => enqueueMany(calls, jobs, options?.idempotencyKey),
    read: read(calls),
    list: list(calls, client),
    search: search(calls),
    commands: commands(client),
    bulk: bulk(client),
    queues: queues(client),
    stats: { byQueue: () => client.queues.stats() },
    overview: { read: () => overview(calls) },
    errors: errors(calls),
    kinds: { list: () => listKinds(calls) },
    subjects: subjects(client),
    schedules: schedules(client),
    workers: {
      list: () => client.workers.list(),
      drain: (worker: string, act: Attribution = {}) => client.workers.drain(worker, reasonOf(act)),
    },
    alerts: alerts(client),
    webhooks: webhooks(client),
    settings: settings(client),
    upkeep: client.upkeep,
    keys: keys(calls),
    tenants: tenants(calls),
    audit: audit(calls),
  } satisfies Console
}

async function enqueueMany(
  calls: Calls,
  jobs: readonly object[],
  idempotencyKey: string = crypto.randomUUID(),
) {
  const enqueued = await calls.call('POST', '/api/v1/jobs/batch', {
    body: { jobs: jobs.map((job) => toWire<{ queue: string; kind: string }>(job)) },
    headers: { 'idempotency-key': idempotencyKey },
    repeatable: true,
  })
  return enqueued.jobs.map(({ id: jobId, deduplicated }) => ({ jobId, deduplicated }))
}

async function overview(calls: Calls): ReturnType<Console['overview']['read']> {
  const answer = await calls.call('GET', '/api/v1/overview', {})
  const { problems, problems_capped, now, counted_to, counts, flow } = answer
  const { places, ended_24h: ended, per_minute: perMinute, slots, busy } = flow
  return {
    flow: {
      now: new Date(now),
      countedTo: timeOf(counted_to),
      places,
      ended,
      perMinute,
      slots,
      busy,
      oldestReadyAt: timeOf(flow.oldest_ready_at),
      nextDueAt: timeOf(flow.next_due_at),
      counts,
    },
    problems: problems.map(({ id, type, severity, text, next, since, actions }) => ({
      id,
      type,
      severity,
      text,
      next,
      since: timeOf(since),
      actions: actions as ShownProblem['actions'],
    })),
    problemsCapped: problems_capped,
  }
}

const timeOf = (text: string | null): Date | null => (text === null ? null : new Date(text))

function errors(calls: Calls): Console['errors'] {
  const one = (fingerprint: string) =>
    calls.call('GET', '/api/v1/errors/{fingerprint}', { params: { fingerprint } })
  const groupOf = ({ count_24h: count24h, ...group }: ErrorAnswer) => ({ ...received(group), count24h })
  return {
    list: async ({ queue, kind, ...paging } = {}) => {
      const query = given({ queue, kind, ...pageOf(paging) })
      const { groups, next_page_token } = await calls.call('GET', '/api/v1/errors', { query })
      return { rows: groups.map(groupOf), next: next_page_token }
    },
    get: async (fingerprint) => {
      const { samples: _samples, search: _search, ...group } = await one(fingerprint)
      return groupOf(group)
    },
    samples: async (fingerprint) => (await one(fingerprint)).samples.map((sample) => received(sample)),
  }
}

type ErrorAnswer = (typeof errorsContract)['listErrors']['response'][200]['_zod']['output']['groups'][number]

function read(calls: Calls): Console['read'] {
  const pathOf = (id: number) => ({ params: { id } })
  return {
    job: async (id) => received(await calls.call('GET', '/api/v1/jobs/{id}', pathOf(id))),
    attempts: async (id) => {
      const { attempts } = await calls.call('GET', '/api/v1/jobs/{id}/attempts', pathOf(id))
      return attempts.map((attempt) => received(attempt))
    },
    explain: async (id) => (await calls.call('GET', '/api/v1/jobs/{id}/explain', pathOf(id))).reasons,
    history: (id) => calls.call('GET', '/api/v1/jobs/{id}/history', pathOf(id)),
    exportItems: (where, format) => exportPages(calls, where, format),
    feed: async (cursor) => {
      const after = cursor === 'all' ? FEED_START : cursor
      const query = { after, wait_sec: FEED_WAIT_SEC }
      const { events, next_after } = await calls.call('GET', '/api/v1/events/next', { query })
      return { cursor: next_after, events: events.map((event) => received(event)) }
    },
  }
}

type ItemFilter = Parameters<Console['read']['exportItems']>[0]

/** Reads pages from the server and formats them here, so the file is the same as one exported from the database. */
function exportPages(calls: Calls, source: ItemFilter, format: ItemFormat) {
  const { jobId, queue, collection } = {
    jobId: undefined,
    queue: undefined,
    collection: undefined,
    ...source,
  }
  const filter = given({ job_id: jobId, queue, collection })
  let token: string | null | undefined
  const page = async (_afterId: number, limit: number): Promise<Item[]> => {
    if (token === null) return []
    const query = { ...filter, page_size: limit, ...given({ page_token: token }) }
    const { items, next_page_token } = await calls.call('GET', '/api/v1/items', { query })
    token = next_page_token
    return items.map((item) => received(item) as Item)
  }
  return exportItems(page, format)
}

function search(calls: Calls): Console['search'] {
  return {
    page: async (q, { limit, after }) => {
      const query = {
        q,
        limit,
        budget_ms: LIMITS.searchBudgetMs.hardMax,
        ...(after === undefined ? {} : { page_token: after }),
      }
      const answer = await calls.call('GET', '/api/v1/jobs/search', { query })
      const { oldest_at, jobs, complete } = answer.examined
      const oldestAt = timeOf(oldest_at)
      return {
        rows: answer.jobs.map((job) => received(job)),
        next: answer.next_page_token,
        examined: { oldestAt, jobs, complete },
      }
    },
  }
}

function list(calls: Calls, client: Client): Console['list'] {
  return {
    jobs: async ({ tenant: _fromKey, ...filter }) => {
      const { jobs, next } = await client.list(filter)
      return { rows: [...jobs], next }
    },
    queueCounts: async () => {
      const counted = (await client.queues.list()).queues
      return counted.map(({ id, counts }) => ({ queueId: id, ...counts }))
    },
    liveKinds: async () => (await calls.call('GET', '/api/v1/kinds', {})).kinds,
    named: async (jobIds) => {
      const ids = [...new Set(jobIds)]
      const found = []
      for (let n = 0; n < ids.length; n += LOOKUP_BATCH_MAX) {
        const body = { job_ids: ids.slice(n, n + LOOKUP_BATCH_MAX) }
        found.push(...(await calls.call('POST', '/api/v1/jobs/lookup', { body, repeatable: true })).jobs)
      }
      return found.map((job) => received(job))
    },
    blockedTargets: ({ tenant: _fromKey, ...filter } = {}) => client.queues.blockedTargets(filter),
  }
}

function commands({ jobs }: Client): Console['commands'] {
  return {
    cancel: (id, { ifState, ...act } = {}) => jobs.cancel(id, { ...reasonOf(act), ...given({ ifState }) }),
    retry: async (id, act = {}) => {
      const { id: jobId, state } = await jobs.retry(id, reasonOf(act))
      return { jobId, state }
    },
    resume: async (id, act = {}) => (await jobs.resume(id, reasonOf(act))).state,
    skip: async (id, act = {}) => (await jobs.skip(id, reasonOf(act))).state,
    discard: async (id, act = {}) => (await jobs.discard(id, reasonOf(act))).state,
    boost: (id, by, act = {}) => jobs.boost(id, by, reasonOf(act)),
    setPriority: async (id, priority, act = {}) => {
      await jobs.setPriority(id, priority, reasonOf(act))
    },
  }
}

function queues(client: Client): Console['queues'] {
  return {
    list: async () => {
      const listed = (await client.queues.list()).queues
      return listed.map(({ policy, counts: _counts, ...queue }) => ({ ...policy, ...queue }))
    },
    get: async (name) => {
      const { policy, ...queue } = await client.queues.get(name)
      return { ...policy, ...queue }
    },
    create: async (name, { preset, policy } = {}) =>
      (await client.queues.create(name, given({ preset, policy }))).id,
    update: async (name, { preset, policy }, act = {}) => {
      await client.queues.update(name, given({ preset, policy }), reasonOf(act))
    },
    rename: async (name, to, act = {}) => {
      await client.queues.rename(name, to, reasonOf(act))
    },
    remove: (name, { withItems = false, ...act } = {}) =>
      client.queues.remove(name, { withItems, ...reasonOf(act) }),
    pause: (name, act = {}) => client.queues.pause(name, reasonOf(act)),
    resume: (name, act = {}) => client.queues.resume(name, reasonOf(act)),
  }
}

function subjects(client: Client): Console['subjects'] {
  const listed = async ({ queue, name, stale, limit }: SubjectFilter = {}) =>
    (await client.subjects.list(given({ queue, name, stale, limit }))).subjects
  return {
    list: listed,
    find: async (queue, name) => {
      const [found] = await listed({ queue, name })
      if (found === undefined) throw holdfastError('unknown_subject', { subject: name })
      return found
    },
    add: async ({ tenant: _fromKey, actor: _theKey, reason, ...subject }: NewSubject) =>
      (await client.subjects.add(subject, given({ reason }))).id,
    set: async (id, { actor: _theKey, reason, ...change }: SubjectChanges) => {
      await client.subjects.set(id, change, given({ reason }))
    },
    remove: (id, act = {}) => client.subjects.remove(id, reasonOf(act)),
  }
}

function settings(client: Client): Console['settings'] {
  return {
    list: () => client.settings.list(),
    get: async (name) => (await client.settings.get(name)).value,
    set: async (name, value, act = {}) => {
      await client.settings.set(name, value, reasonOf(act))
    },
    reset: async (name, act = {}) => {
      await client.settings.reset(name, reasonOf(act))
    },
  }
}
