import { auditContract } from '../../contract/audit.js'
import { toWire } from '../../contract/case.js'
import { given } from '../../domain/given.js'
import { numberFrom, tokenOf } from '../page-token.js'
import { routes } from '../route.js'

export const auditRoutes = routes<typeof auditContract>(auditContract, {
  listAudit: async ({ store, tenant, everywhere, query }) => {
    const { page_size: limit, page_token, ...filter } = query
    const rows = await store.audit.list({
      ...given({ ...filter, before: numberFrom(page_token) }),
      ...(everywhere ? {} : { tenant }),
      limit,
    })
    const last = rows.length === limit ? rows.at(-1) : undefined
    return {
      status: 200,
      body: {
        calls: rows.map((row) => toWire(row)),
        next_page_token: last === undefined ? null : tokenOf(last.id),
      },
    }
  },
})
