/** Search of jobs: pages, facets, suggestions and exports. */
import { toWire } from '../../contract/case.js'
import { foundJob, searchContract } from '../../contract/jobs/search.js'
import type { FoundJob } from '../../store/search/found-jobs.js'
import type { Redact } from '../access/redact.js'
import { searchOf } from '../access/search-query.js'
import { asWrongToken } from '../http/page-token.js'
import { routes } from '../http/route.js'
import { only } from './views.js'

const foundFields = only(foundJob)

const TYPES = { csv: 'text/csv; charset=utf-8', ndjson: 'application/x-ndjson; charset=utf-8' }

export const searchRoutes = routes<typeof searchContract>(searchContract, {
  searchJobs: async ({ store, server, tenant, query }) => {
    const { limit, page_token: after, budget_ms: budgetMs } = query
    const filter = searchOf(server, query.q)
    const found = await store.search
      .page(filter, { tenant, limit, budgetMs, ...(after === undefined ? {} : { after }) })
      .catch(asWrongToken)
    return {
      status: 200,
      body: {
        jobs: found.rows.map((row) => foundView(row, server.redact)),
        next_page_token: found.next,
        examined: toWire(found.examined),
        keywords: found.keywords.map(({ keyword, fields }) => ({ keyword, fields: [...fields] })),
      },
    }
  },

  searchFacets: async ({ store, server, tenant, query }) => {
    const filter = searchOf(server, query.q)
    return { status: 200, body: await store.search.facets(filter, { tenant, budgetMs: query.budget_ms }) }
  },

  suggestValues: async ({ store, tenant, query }) => ({
    status: 200,
    body: { values: await store.search.suggest(query.field, query.prefix, { tenant }) },
  }),

  exportJobs: async ({ store, server, tenant, query }) => {
    const filter = searchOf(server, query.q)
    return {
      status: 200,
      headers: {
        'content-type': TYPES[query.format],
        'content-disposition': `attachment; filename="jobs.${query.format}"`,
      },
      body: store.search.export(filter, query.format, { tenant, shown: server.redact }),
    }
  },
})

/** Redacted first: what a cut leaves of a value must not be of a secret. */
function foundView(row: FoundJob, redact: Redact) {
  return foundFields({ ...row, input: excerpt(redact(row.input), 3) })
}

const TEXT_MAX = 200
const FIELDS_MAX = 20

/** A payload without its long parts, for a row of a list. */
function excerpt(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.length > TEXT_MAX ? `${value.slice(0, TEXT_MAX)}…` : value
  if (typeof value !== 'object' || value === null) return value
  if (depth === 0) return Array.isArray(value) ? '[…]' : '{…}'
  if (Array.isArray(value)) return value.slice(0, FIELDS_MAX).map((each) => excerpt(each, depth - 1))
  const fields = Object.entries(value).slice(0, FIELDS_MAX)
  return Object.fromEntries(fields.map(([name, each]) => [name, excerpt(each, depth - 1)]))
}
