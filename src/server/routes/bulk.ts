/** Handlers of bulk operations and saved views. A started operation is carried out by this server at once. */

import { toWire } from '../../contract/case.js'
import { bulkContract } from '../../contract/operate/bulk.js'
import { savedViewsContract } from '../../contract/operate/saved-views.js'
import { BULK_CHORE } from '../../domain/bulk.js'
import { holdfastError } from '../../domain/errors/errors.js'
import { given } from '../../json/given.js'
import type { BulkOperation, BulkPreview, BulkRequest, BulkResult } from '../../store/bulk/bulk-operations.js'
import type { SavedView } from '../../store/saved-views.js'
import { searchOf } from '../access/search-query.js'
import { numberFrom, paged } from '../http/page-token.js'
import { messageOf } from '../http/problem.js'
import { type Call, routes } from '../http/route.js'

type OperationView = (typeof bulkContract)['getBulk']['response'][200]['_zod']['input']
type ResultView =
  (typeof bulkContract)['listBulkResults']['response'][200]['_zod']['input']['results'][number]
type PreviewView = (typeof bulkContract)['previewBulk']['response'][200]['_zod']['input']
type SampleView = PreviewView['samples'][number]
type StoredView = (typeof savedViewsContract)['createSavedView']['response'][201]['_zod']['input']
type OwnCall = Pick<Call, 'store' | 'tenant'>

function operationView({ tenant: _tenant, ...operation }: BulkOperation): OperationView {
  return toWire(operation)
}

function previewView({ samples, ...preview }: BulkPreview): PreviewView {
  return { ...toWire<PreviewView>(preview), samples: samples.map((job) => toWire<SampleView>(job)) }
}

function storedView({ tenant: _tenant, ...view }: SavedView): StoredView {
  return toWire(view)
}

/** An operation of the caller's tenant; others are unknown. */
async function ownBulk({ store, tenant }: OwnCall, id: number): Promise<BulkOperation> {
  const operation = await store.bulk.get(id)
  if (operation.tenant !== tenant) throw holdfastError('unknown_bulk', { operation: id })
  return operation
}

async function checkOwnView({ store, tenant }: OwnCall, id: number): Promise<void> {
  const view = await store.savedViews.get(id)
  if (view.tenant !== tenant) throw holdfastError('unknown_view', { view: id })
}

interface AskedBody extends Pick<BulkRequest, 'command' | 'q'> {
  readonly until?: string | undefined
  readonly priority?: number | undefined
  readonly by?: number | undefined
}

function requestOf({ server, tenant }: Pick<Call, 'server' | 'tenant'>, body: AskedBody): BulkRequest {
  const { command, q, until, priority, by } = body
  // A search for what is redacted is refused: a count would show it.
  searchOf(server, q)
  return { tenant, command, q, ...given({ until, priority, by }) }
}

/** Begins at once instead of at the next pass of upkeep. Where this server runs no upkeep, another process takes the operation. */
async function carryOutHere({ server }: Pick<Call, 'server'>): Promise<void> {
  try {
    for (;;) {
      const { more } = await server.chores.run(BULK_CHORE)
      if (!more || server.stopping.aborted) return
    }
  } catch (error) {
    if ((error as { code?: string }).code === 'unknown_chore') return
    server.log?.warn(
      { event: 'bulk_page_failed', error: messageOf(error) },
      'bulk operation interrupted; upkeep will go on',
    )
  }
}

export const bulkRoutes = routes<typeof bulkContract>(bulkContract, {
  previewBulk: async (call) => ({
    status: 200,
    body: previewView(await call.store.bulk.preview(requestOf(call, call.body))),
  }),

  startBulk: async (call) => {
    const { store, act, body, headers } = call
    const { expected } = body
    const { operation, created } = await store.bulk.start({
      ...requestOf(call, body),
      ...act,
      ...given({
        expected: expected === undefined ? undefined : { matched: expected.matched, capped: expected.capped },
        idempotencyKey: headers['idempotency-key'],
      }),
    })
    if (created) void carryOutHere(call)
    return { status: created ? 202 : 200, body: operationView(operation) }
  },

  listBulk: async ({ store, tenant, query }) => {
    const { page_size: size, page_token, state } = query
    const states =
      state === undefined ? undefined : state === 'open' ? (['waiting', 'running'] as const) : [state]
    const rows = await store.bulk.list({
      tenant,
      ...given({ states, before: numberFrom(page_token) }),
      limit: size + 1,
    })
    const { page, next_page_token } = paged(rows, size, ({ id }) => id)
    return { status: 200, body: { operations: page.map(operationView), next_page_token } }
  },

  getBulk: async (call) => ({ status: 200, body: operationView(await ownBulk(call, call.params.id)) }),

  listBulkResults: async (call) => {
    const { store, params, query } = call
    const { page_size: size, page_token, ok } = query
    await ownBulk(call, params.id)
    const rows = await store.bulk.results(params.id, {
      ...given({ ok: ok === undefined ? undefined : ok === 'true', before: numberFrom(page_token) }),
      limit: size + 1,
    })
    const { page, next_page_token } = paged(rows, size, ({ jobId }) => jobId)
    return {
      status: 200,
      body: { results: page.map((row: BulkResult) => toWire<ResultView>(row)), next_page_token },
    }
  },

  abortBulk: async (call) => {
    const { store, params, act } = call
    await ownBulk(call, params.id)
    return { status: 200, body: operationView(await store.bulk.abort(params.id, act)) }
  },
})

export const savedViewRoutes = routes<typeof savedViewsContract>(savedViewsContract, {
  listSavedViews: async ({ store, tenant }) => ({
    status: 200,
    body: { views: (await store.savedViews.list(tenant)).map(storedView) },
  }),

  createSavedView: async ({ store, tenant, act, body }) => {
    const { name, q, columns, sort } = body
    const view = await store.savedViews.create({ tenant, name, q, ...given({ columns, sort }), ...act })
    return { status: 201, body: storedView(view) }
  },

  changeSavedView: async (call) => {
    const { store, params, act, body } = call
    await checkOwnView(call, params.id)
    const { name, q, columns, sort } = body
    const view = await store.savedViews.change(params.id, given({ name, q, columns, sort }), act)
    return { status: 200, body: storedView(view) }
  },

  removeSavedView: async (call) => {
    const { store, params, act } = call
    await checkOwnView(call, params.id)
    await store.savedViews.remove(params.id, act)
    return { status: 204, body: undefined }
  },
})
