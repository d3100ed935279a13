/** Queues: list, create, change, rename, remove, pause, blocked targets. */
import { fromWire, toWire } from '../../contract/case.js'
import { queuesContract } from '../../contract/queues.js'
import type { Policy } from '../../domain/policy.js'
import { policySentences } from '../../domain/policy-sentences.js'
import { COUNT_MAX } from '../../store/list/listing.js'
import type { Queue } from '../../store/queues.js'
import { routes } from '../http/route.js'

export const queueRoutes = routes<typeof queuesContract>(queuesContract, {
  listQueues: async ({ store, tenant }) => {
    const [queues, counts] = await Promise.all([
      store.queues.list({ tenant }),
      store.list.queueCounts(tenant),
    ])
    const byId = new Map(
      counts.map(({ queueId, capped, ...rest }) => [queueId, { ...rest, capped: [...capped] }]),
    )
    return {
      status: 200,
      body: {
        queues: queues.map((queue) => ({ ...queueView(queue), counts: byId.get(queue.id) ?? NO_COUNTS })),
        counted_max: COUNT_MAX,
      },
    }
  },

  createQueue: async ({ store, tenant, act, body }) => {
    await store.queues.create(body.name, {
      tenant,
      preset: body.preset,
      policy: fromWire<Partial<Policy>>(body.policy ?? {}),
      ...act,
    })
    return { status: 201, body: queueView(await store.queues.get(body.name, { tenant })) }
  },

  getQueue: async ({ store, tenant, params }) => ({
    status: 200,
    body: queueView(await store.queues.get(params.name, { tenant })),
  }),

  queueState: async ({ store, tenant, params }) => {
    const queue = await store.queues.get(params.name, { tenant })
    const { limits, oldestReadyAt, ...now } = await store.overview.queue(queue.id)
    return {
      status: 200,
      body: {
        name: queue.name,
        sentences: policySentences(queue),
        ...now,
        oldest_ready_at: oldestReadyAt?.toISOString() ?? null,
        limits_reached: [...limits],
        priorities: [...now.priorities],
      },
    }
  },

  setPolicy: async ({ store, tenant, act, params, body }) => {
    const changes = {
      policy: fromWire<Partial<Policy>>(body.policy ?? {}),
      ...(body.preset === undefined ? {} : { preset: body.preset }),
    }
    await store.queues.update(params.name, changes, { tenant, ...act })
    return { status: 200, body: queueView(await store.queues.get(params.name, { tenant })) }
  },

  renameQueue: async ({ store, tenant, act, params, body }) => {
    await store.queues.rename(params.name, body.to, { tenant, ...act })
    return { status: 200, body: queueView(await store.queues.get(body.to, { tenant })) }
  },

  removeQueue: async ({ store, tenant, act, params, body }) => {
    await store.queues.remove(params.name, { tenant, withItems: body?.with_items ?? false, ...act })
    return { status: 204, body: undefined }
  },

  pauseQueue: async ({ store, tenant, act, params: { name } }) => ({
    status: 200,
    body: { name, changed: await store.queues.pause(name, { tenant, ...act }) },
  }),

  resumeQueue: async ({ store, tenant, act, params: { name } }) => ({
    status: 200,
    body: { name, changed: await store.queues.resume(name, { tenant, ...act }) },
  }),

  listBlockedTargets: async ({ store, tenant, query }) => {
    const { page_size: limit, queue } = query
    const blocked = await store.list.blockedTargets({
      tenant,
      limit,
      ...(queue === undefined ? {} : { queue }),
    })
    return {
      status: 200,
      body: {
        targets: blocked.map((target) => ({
          ...toWire<Omit<BlockedView, 'actions'>>(target),
          actions: ['resume', 'skip', 'cancel'].map((command) => ({
            command,
            href: `/api/v1/jobs/${target.jobId}/${command}`,
          })),
        })),
      },
    }
  },
})

type BlockedView =
  (typeof queuesContract)['listBlockedTargets']['response'][200]['_zod']['input']['targets'][number]
type QueueView = (typeof queuesContract)['getQueue']['response'][200]['_zod']['input']

const NO_COUNTS = { queued: 0, running: 0, delayed: 0, waiting: 0, blocked: 0, capped: [] }

const FIELDS = ['id', 'name', 'tenant', 'preset', 'paused_at', 'paused_by', 'pause_reason', 'created_at']
const POLICY = Object.keys(queuesContract.getQueue.response[200].shape.policy.shape)

function queueView(queue: Queue): QueueView {
  const wire = toWire<Record<string, unknown>>(queue)
  const pick = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, wire[name]]))
  return { ...pick(FIELDS), policy: pick(POLICY) } as QueueView
}
