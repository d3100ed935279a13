import { itemsContract } from '../../contract/items.js'
import { checkOwnJob } from '../own-job.js'
import { numberFrom, tokenOf } from '../page-token.js'
import { type Call, routes } from '../route.js'
import { itemView } from '../views.js'

interface Whose {
  readonly job_id?: number | undefined
  readonly queue?: string | undefined
  readonly collection?: string | undefined
}

async function whereOf(
  { store, tenant }: Pick<Call, 'store' | 'tenant'>,
  { job_id, queue = '', collection }: Whose,
) {
  if (job_id !== undefined) {
    await checkOwnJob({ store, tenant }, job_id)
    return { jobId: job_id }
  }
  // A misspelt name must not become an empty list that looks like an answer.
  await store.queues.get(queue, { tenant })
  return { queue, tenant, ...(collection === undefined ? {} : { collection }) }
}

const TYPES = { json: 'application/json; charset=utf-8', csv: 'text/csv; charset=utf-8' }

export const itemRoutes = routes<typeof itemsContract>(itemsContract, {
  listItems: async (call) => {
    const { page_size: limit, page_token, ...whose } = call.query
    const where = await whereOf(call, whose)
    const items = await call.store.read.items({ ...where, afterId: numberFrom(page_token) ?? 0, limit })
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
    const { format, ...whose } = call.query
    const where = await whereOf(call, whose)
    return {
      status: 200,
      headers: {
        'content-type': TYPES[format],
        'content-disposition': `attachment; filename="items.${format}"`,
      },
      body: call.store.read.exportItems(where, format, call.server.redact),
    }
  },
})
