/** Items that jobs have reported: lists and exports. */
import { itemsContract } from '../../contract/jobs/items.js'
import { checkOwnJob } from '../access/own-job.js'
import { numberFrom, tokenOf } from '../http/page-token.js'
import { type Call, routes } from '../http/route.js'
import { itemView } from './views.js'

interface ItemQuery {
  readonly job_id?: number | undefined
  readonly queue?: string | undefined
  readonly collection?: string | undefined
}

async function filterOf(
  { store, tenant }: Pick<Call, 'store' | 'tenant'>,
  { job_id, queue = '', collection }: ItemQuery,
) {
  if (job_id !== undefined) {
    await checkOwnJob({ store, tenant }, job_id)
    return { jobId: job_id }
  }
  // An unknown queue is an error, not an empty list.
  await store.queues.get(queue, { tenant })
  return { queue, tenant, ...(collection === undefined ? {} : { collection }) }
}

const TYPES = { json: 'application/json; charset=utf-8', csv: 'text/csv; charset=utf-8' }

export const itemRoutes = routes<typeof itemsContract>(itemsContract, {
  listItems: async (call) => {
    const { page_size: limit, page_token, ...source } = call.query
    const filter = await filterOf(call, source)
    const items = await call.store.read.items({ ...filter, afterId: numberFrom(page_token) ?? 0, limit })
    const last = items.length === limit ? items.at(-1) : undefined
    return {
      status: 200,
      body: {
        items: items.map((item) => itemView(item, call.server.redact)),
        next_page_token: last === undefined ? null : tokenOf(last.id),
      },
    }
  },

  exportItems: async (call) => {
    const { format, ...source } = call.query
    const filter = await filterOf(call, source)
    return {
      status: 200,
      headers: {
        'content-type': TYPES[format],
        'content-disposition': `attachment; filename="items.${format}"`,
      },
      body: call.store.read.exportItems(filter, format, call.server.redact),
    }
  },
})
