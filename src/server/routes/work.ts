import { fromWire, toWire } from '../../contract/case.js'
import { workContract } from '../../contract/work.js'
import { LeaseLost } from '../../domain/errors.js'
import type {
  ClaimedJob,
  Ended,
  Ending,
  Fence,
  JobAttempt,
  Presence,
  Renewed,
  Report,
} from '../../domain/port.js'
import { graceOf, leaseOf } from '../../store/work-terms.js'
import { type Call, routes } from '../route.js'
import { waiting } from '../waits.js'
import { claimJobs } from '../work/claim.js'
import { deskOf } from '../work/desk.js'
import { ownFences } from '../work/own-fences.js'

export const workRoutes = routes<typeof workContract>(workContract, {
  workTerms: async ({ store, tenant, body }) => ({
    status: 200,
    body: toWire({
      ...(await leaseOf(store, body.queues, tenant, body.lease_ms)),
      graceMs: await graceOf(store),
    }),
  }),

  openLease: async ({ store, tenant, body, server }) => {
    const opened = await store.work.openLease(body.worker, body.lease_ms, tenant)
    deskOf(server).leases.learn(tenant, [opened.lease])
    return { status: 201, body: toWire(opened) }
  },

  claimJobs: async (call) => {
    const jobs = await claimJobs(call)
    return { status: 200, body: { jobs: jobs.map((job) => claimedView(job, call)) } }
  },

  waitForWork: async (call) => {
    const { body, signal, server } = call
    const line = deskOf(server).line(call, body.queues)
    const woken = await waiting(call, () => line.wait(body.seen, body.wait_ms, signal))
    await call.stillAllowed()
    return { status: 200, body: { woken, seen: line.seen } }
  },

  renewLeases: async (call) => {
    const { store, tenant, body, server } = call
    const own = await deskOf(server).leases.of(call, body.leases)
    const seen = body.seen?.map((one) => fromWire<JobAttempt>(one))
    const known = own.size === 0 ? [] : await store.work.renew([...own], { seen })
    const renewed = new Map(known.map((one) => [one.lease, one]))
    const leases = body.leases.map((lease) => renewedView(renewed.get(lease) ?? { ...GONE, lease }))
    if (body.presence === undefined) return { status: 200, body: { leases, drain: false, paused: [] } }
    const { drain } = await store.workers.beat(presenceOf(body.presence, tenant), { overHttp: true })
    const queues = await store.queues.list({ tenant })
    const mine = new Set(body.presence.queues)
    const paused = queues.filter(({ name, pausedAt }) => pausedAt !== null && mine.has(name))
    return { status: 200, body: { leases, drain, paused: paused.map(({ name }) => name) } }
  },

  startJobs: async (call) => {
    const fences = call.body.jobs.map((one) => fromWire<Fence & { startedAgoMs?: number }>(one))
    const isOwn = await ownFences(call, fences)
    const own = fences.filter(isOwn)
    const begun = own.length === 0 ? [] : await call.store.work.start(own)
    return { status: 200, body: { jobs: begun.map((one) => toWire<never>(one)) } }
  },

  reportWork: async (call) => {
    const report = fromWire<Report>(call.body)
    const isOwn = await ownFences(call, [report])
    if (!isOwn(report)) throw new LeaseLost({ job: report.jobId, attempt: report.attempt })
    return { status: 200, body: toWire(await call.store.work.report(report)) }
  },

  finishJobs: async (call) => {
    const endings = call.body.jobs.map((one) => fromWire<Ending>(one))
    const isOwn = await ownFences(call, endings)
    const own = endings.filter(isOwn)
    const ended = own.length === 0 ? [] : await call.store.work.finish(own)
    const answers = new Map(own.map((ending, index) => [ending, ended[index]]))
    return { status: 200, body: { jobs: endings.map((ending) => endedView(ending, answers.get(ending))) } }
  },

  keepJobs: async (call) => {
    const { store, body, server } = call
    const { lease, older_than_ms: olderThanMs } = body
    const known = body.jobs.map((one) => fromWire<JobAttempt>(one))
    const isOwn = await deskOf(server).leases.has(call, lease)
    return { status: 200, body: { released: isOwn ? await store.work.keep(lease, known, olderThanMs) : 0 } }
  },

  closeLease: async (call) => {
    const { store, body, server } = call
    const { leases } = deskOf(server)
    const isOwn = await leases.has(call, body.lease)
    const released = isOwn ? await store.work.closeLease(body.lease, body.reason) : 0
    if (isOwn) leases.forget(body.lease)
    return { status: 200, body: { released } }
  },

  beat: async ({ store, tenant, body }) => ({
    status: 200,
    body: await store.workers.beat(presenceOf(body, tenant), { overHttp: true }),
  }),

  leave: async ({ store, tenant, body }) => {
    await store.workers.leave(body.worker, tenant)
    return { status: 204, body: undefined }
  },

  unparkJobs: async ({ store, tenant, body: { queues, kinds } }) => ({
    status: 200,
    body: { unparked: await store.work.unpark({ queues, kinds, tenant }) },
  }),

  depth: async ({ store, tenant, body: { queues, most } }) => ({
    status: 200,
    body: { depth: await store.work.depth({ queues, most, tenant }) },
  }),

  depthByKind: async ({ store, tenant, body: { queues, most } }) => ({
    status: 200,
    body: {
      kinds: (await store.work.depthByKind({ queues, most, tenant })).map((one) => toWire<never>(one)),
    },
  }),

  noteScale: async ({ store, tenant, body: { worker, ...decision } }) => {
    await store.workers.noteScale(worker, { ...decision, tenant })
    return { status: 204, body: undefined }
  },
})

/** A lease that is not there, or not the caller's: the two look the same. */
const GONE = { alive: false, expiresAt: null, cancel: [], revoked: [] }

function renewedView(renewed: Renewed) {
  const attempts = (of: readonly JobAttempt[]) => of.map((one) => toWire<never>(one))
  return toWire<never>({
    ...renewed,
    cancel: attempts(renewed.cancel),
    revoked: attempts(renewed.revoked),
  })
}

function presenceOf(said: object, tenant: string): Presence {
  return { ...fromWire<Omit<Presence, 'tenant'>>(said), tenant }
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
