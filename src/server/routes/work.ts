/** The worker protocol over HTTP: leases, claims, reports, finishes and heartbeats. */
import { fromWire, toWire } from '../../contract/case.js'
import { workContract } from '../../contract/work/work.js'
import { LeaseLost } from '../../domain/errors/errors.js'
import { checkTemplate, type DeclaredKind } from '../../domain/kinds.js'
import type {
  ClaimedJob,
  Ended,
  Ending,
  Fence,
  JobAttempt,
  LoggedLines,
  Presence,
  Renewed,
  Report,
} from '../../domain/port.js'
import { graceOf, leaseTermsOf } from '../../store/work-terms.js'
import { waiting } from '../access/waiting-calls.js'
import { type Call, routes } from '../http/route.js'
import { claimJob, claimJobs } from '../work/claim.js'
import { ownFences } from '../work/own-leases.js'

export const workRoutes = routes<typeof workContract>(workContract, {
  declareKinds: async ({ store, tenant, who, body }) => {
    const kinds = body.kinds.map((kind) => fromWire<DeclaredKind>(kind))
    for (const { key, target } of kinds) {
      if (key !== undefined) checkTemplate(key, '/kinds/key')
      if (target !== undefined) checkTemplate(target, '/kinds/target')
    }
    return { status: 200, body: { changed: await store.kinds.declare(kinds, { tenant, actor: who.name }) } }
  },

  workTerms: async ({ store, tenant, body }) => ({
    status: 200,
    body: toWire({
      ...(await leaseTermsOf(store, body.queues, tenant, body.lease_ms)),
      graceMs: await graceOf(store),
    }),
  }),

  openLease: async ({ store, tenant, body, server }) => {
    const opened = await store.work.openLease(body.worker, body.lease_ms, tenant)
    server.sessions.leases.add(tenant, [opened.lease])
    return { status: 201, body: toWire(opened) }
  },

  claimJobs: async (call) => {
    const jobs = await claimJobs(call)
    return { status: 200, body: { jobs: jobs.map((job) => claimedView(job, call)) } }
  },

  claimJob: async (call) => {
    const jobs = await claimJob(call)
    return { status: 200, body: { jobs: jobs.map((job) => claimedView(job, call)) } }
  },

  waitForWork: async (call) => {
    const { body, signal, server } = call
    const waiters = server.sessions.waitersFor(call, body.queues)
    const woken = await waiting(call, () => waiters.wait(body.seen, body.wait_ms, signal))
    await call.stillAllowed()
    return { status: 200, body: { woken, seen: waiters.seen } }
  },

  renewLeases: async (call) => {
    const { store, tenant, body, server } = call
    const ownLeases = await server.sessions.leases.among(call, body.leases)
    const seen = body.seen?.map((each) => fromWire<JobAttempt>(each))
    const known = ownLeases.size === 0 ? [] : await store.work.renew([...ownLeases], { seen })
    const renewed = new Map(known.map((each) => [each.lease, each]))
    const leases = body.leases.map((lease) => renewedView(renewed.get(lease) ?? { ...GONE, lease }))
    if (body.presence === undefined) return { status: 200, body: { leases, drain: false, paused: [] } }
    const { drain } = await store.work.heartbeat(presenceOf(body.presence, tenant), { overHttp: true })
    const queues = await store.queues.list({ tenant })
    const ownQueues = new Set(body.presence.queues)
    const paused = queues.filter(({ name, pausedAt }) => pausedAt !== null && ownQueues.has(name))
    return { status: 200, body: { leases, drain, paused: paused.map(({ name }) => name) } }
  },

  startJobs: async (call) => {
    const fences = call.body.jobs.map((each) => fromWire<Fence & { startedAgoMs?: number }>(each))
    const isOwn = await ownFences(call, fences)
    const own = fences.filter(isOwn)
    const begun = own.length === 0 ? [] : await call.store.work.start(own)
    return { status: 200, body: { jobs: begun.map((each) => toWire<never>(each)) } }
  },

  reportWork: async (call) => {
    const report = fromWire<Report>(call.body)
    const isOwn = await ownFences(call, [report])
    if (!isOwn(report)) throw new LeaseLost({ job: report.jobId, attempt: report.attempt })
    return { status: 200, body: toWire(await call.store.work.report(report)) }
  },

  logWork: async (call) => {
    const lines = call.body.jobs.map((each) => fromWire<LoggedLines>(each))
    const isOwn = await ownFences(call, lines)
    const own = lines.filter(isOwn)
    return { status: 200, body: { logged: own.length === 0 ? 0 : await call.store.work.logLines(own) } }
  },

  finishJobs: async (call) => {
    const endings = call.body.jobs.map((each) => fromWire<Ending>(each))
    const isOwn = await ownFences(call, endings)
    const own = endings.filter(isOwn)
    const ended = own.length === 0 ? [] : await call.store.work.finish(own)
    const answers = new Map(own.map((ending, index) => [ending, ended[index]]))
    return { status: 200, body: { jobs: endings.map((ending) => endedView(ending, answers.get(ending))) } }
  },

  releaseUnlisted: async (call) => {
    const { store, body, server } = call
    const { lease, older_than_ms: olderThanMs } = body
    const known = body.jobs.map((each) => fromWire<JobAttempt>(each))
    const isOwn = await server.sessions.leases.has(call, lease)
    return {
      status: 200,
      body: { released: isOwn ? await store.work.releaseUnlisted(lease, known, olderThanMs) : 0 },
    }
  },

  closeLease: async (call) => {
    const { store, body, server } = call
    const { leases } = server.sessions
    const isOwn = await leases.has(call, body.lease)
    const released = isOwn ? await store.work.closeLease(body.lease, body.reason, body.started) : 0
    if (isOwn) leases.delete(body.lease)
    return { status: 200, body: { released } }
  },

  heartbeat: async ({ store, tenant, body }) => ({
    status: 200,
    body: await store.work.heartbeat(presenceOf(body, tenant), { overHttp: true }),
  }),

  removeWorker: async ({ store, tenant, body }) => {
    await store.work.removeWorker(body.worker, tenant)
    return { status: 204, body: undefined }
  },

  unparkJobs: async ({ store, tenant, body: { queues, kinds } }) => ({
    status: 200,
    body: { unparked: await store.work.unpark(queues, kinds, tenant) },
  }),

  depth: async ({ store, tenant, body: { queues, max } }) => ({
    status: 200,
    body: { depth: await store.work.depth(queues, max, tenant) },
  }),

  depthByKind: async ({ store, tenant, body: { queues, max } }) => ({
    status: 200,
    body: {
      kinds: (await store.work.depthByKind({ queues, countMax: max, tenant })).map((each) =>
        toWire<never>(each),
      ),
    },
  }),

  recordScale: async ({ store, tenant, body: { worker, ...decision } }) => {
    await store.work.recordScale(worker, { ...decision, tenant })
    return { status: 204, body: undefined }
  },
})

/** The answer for an unknown lease and for one of another tenant. */
const GONE = { alive: false, expiresAt: null, cancel: [], revoked: [] }

function renewedView(renewed: Renewed) {
  const attempts = (list: readonly JobAttempt[]) => list.map((each) => toWire<never>(each))
  return toWire<never>({
    ...renewed,
    cancel: attempts(renewed.cancel),
    revoked: attempts(renewed.revoked),
  })
}

function presenceOf(body: object, tenant: string): Presence {
  return { ...fromWire<Omit<Presence, 'tenant'>>(body), tenant }
}

function claimedView(job: ClaimedJob, { store }: Pick<Call, 'store'>) {
  const { level: _level, fresh = false, progress, ...rest } = job
  return toWire<never>({
    ...rest,
    fresh,
    queue: store.queues.nameOf(job.queueId) ?? String(job.queueId),
    progress: progress === null ? null : toWire(progress),
  })
}

function endedView({ jobId, attempt }: Ending, ended: Ended | undefined) {
  const { accepted = false, state = null, dueAt = null } = ended ?? {}
  return toWire<never>({ jobId, attempt, accepted, state, dueAt })
}
