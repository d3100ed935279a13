/** Handlers for the data of the dashboard's charts: series, the overview, one kind, groups of errors. */
import { toWire } from '../../contract/case.js'
import { kindContract } from '../../contract/jobs/kind.js'
import { errorsContract } from '../../contract/operate/errors.js'
import { overviewContract } from '../../contract/operate/overview.js'
import { seriesContract } from '../../contract/operate/series.js'
import { holdfastError } from '../../domain/errors/errors.js'
import type { OverviewProblem } from '../../domain/stats/problems.js'
import type { ErrorGroup } from '../../store/charts/error-groups.js'
import type { KindStats } from '../../store/charts/kind-stats.js'
import type { Totals } from '../../store/charts/series.js'
import { asWrongToken } from '../http/page-token.js'
import { routes } from '../http/route.js'

type SeriesView = (typeof seriesContract)['statsSeries']['response'][200]['_zod']['input']
type TotalsView = SeriesView['total']
type ProblemView = (typeof overviewContract)['overview']['response'][200]['_zod']['input']['problems'][number]
type KindView = (typeof kindContract)['getKind']['response'][200]['_zod']['input']
type ErrorView = (typeof errorsContract)['listErrors']['response'][200]['_zod']['input']['groups'][number]
type ErrorSampleView =
  (typeof errorsContract)['getError']['response'][200]['_zod']['input']['samples'][number]
type ScaleView = (typeof seriesContract)['scaleSeries']['response'][200]['_zod']['input']['events'][number]

export const seriesRoutes = routes<typeof seriesContract>(seriesContract, {
  statsSeries: async ({ store, tenant, query: { span, queue, kind } }) => {
    const series = await store.series.read({
      tenant,
      span,
      ...(queue === undefined ? {} : { queue }),
      ...(kind === undefined ? {} : { kind }),
    })
    return {
      status: 200,
      body: {
        ...toWire<SeriesView>(series),
        points: series.points.map(({ at, ...totals }) => ({ at: at.toISOString(), ...totalsView(totals) })),
        total: totalsView(series.total),
      },
    }
  },

  scaleSeries: async ({ store, tenant, query: { span, group } }) => {
    const { from, to, events, capped } = await store.series.scale({
      tenant,
      span,
      ...(group === undefined ? {} : { group }),
    })
    return {
      status: 200,
      body: {
        span,
        from: from.toISOString(),
        to: to.toISOString(),
        events: events.map((event) => toWire<ScaleView>(event)),
        capped,
      },
    }
  },
})

export const overviewRoutes = routes<typeof overviewContract>(overviewContract, {
  overview: async ({ store, tenant, everywhere }) => {
    const { problems, problemsCapped, flow } = await store.overview.read({ tenant, installation: everywhere })
    const { now, countedTo, counts, ended, places, perMinute, slots, busy, oldestReadyAt, nextDueAt } = flow
    return {
      status: 200,
      body: {
        now: now.toISOString(),
        counted_to: countedTo?.toISOString() ?? null,
        problems: problems.map(problemView),
        problems_capped: problemsCapped,
        flow: {
          places,
          ended_24h: ended,
          per_minute: perMinute,
          slots,
          busy,
          oldest_ready_at: oldestReadyAt?.toISOString() ?? null,
          next_due_at: nextDueAt?.toISOString() ?? null,
        },
        counts,
      },
    }
  },
})

export const kindRoutes = routes<typeof kindContract>(kindContract, {
  getKind: async ({ store, tenant, params: { kind } }) => {
    const [[stats], declared, queues, workers] = await Promise.all([
      store.kindReads.stats({ tenant, kind }),
      store.kinds.list({ tenant }),
      store.queues.list({ tenant }),
      store.workers.list({ tenant }),
    ])
    if (stats === undefined) throw holdfastError('kind_not_found', { kind })
    const declaration = declared.find((each) => each.kind === kind)
    return {
      status: 200,
      body: {
        ...kindStatsView(stats),
        declared: declaration === undefined ? null : toWire<NonNullable<KindView['declared']>>(declaration),
        queues: queues.filter(({ id }) => stats.queueIds.includes(id)).map(({ name }) => name),
        workers: workers.filter(({ alive, kinds }) => alive && kinds.includes(kind)).length,
        versions: stats.versions.map((version) => ({
          ...toWire<Omit<KindView['versions'][number], 'failed_rate'>>(version),
          failed_rate: version.attempts === 0 ? null : version.failed / version.attempts,
        })),
      },
    }
  },
})

export const errorRoutes = routes<typeof errorsContract>(errorsContract, {
  listErrors: async ({ store, tenant, query: { queue, kind, page_size: limit, page_token: after } }) => {
    const { rows, next } = await store.errors
      .list({
        tenant,
        limit,
        ...(queue === undefined ? {} : { queue }),
        ...(kind === undefined ? {} : { kind }),
        ...(after === undefined ? {} : { after }),
      })
      .catch(asWrongToken)
    return {
      status: 200,
      body: { groups: rows.map(errorView), next_page_token: next },
    }
  },

  getError: async ({ store, tenant, params: { fingerprint } }) => {
    const [group, samples] = await Promise.all([
      store.errors.get(fingerprint, { tenant }),
      store.errors.samples(fingerprint, { tenant }),
    ])
    return {
      status: 200,
      body: {
        ...errorView(group),
        samples: samples.map((sample) => toWire<ErrorSampleView>(sample)),
        search: `state:failed error:${fingerprint}`,
      },
    }
  },
})

/** Names with a number in them have no underscore in TypeScript. */
function errorView({ count24h, ...group }: ErrorGroup): ErrorView {
  return { ...toWire<ErrorView>(group), count_24h: count24h }
}

function totalsView(totals: Totals): TotalsView {
  return toWire<TotalsView>(totals)
}

export function kindStatsView({
  versions: _versions,
  queueIds: _queueIds,
  lastHour,
  lastDay,
  trend,
  lastError,
  ...rest
}: KindStats) {
  return {
    ...toWire<Pick<KindView, 'kind' | 'first_seen_at' | 'last_seen_at' | 'version' | 'fails_since_version'>>(
      rest,
    ),
    last_hour: totalsView(lastHour),
    last_day: totalsView(lastDay),
    trend: trend.map(({ at, ...counts }) => ({ at: at.toISOString(), ...counts })),
    last_error: lastError === null ? null : toWire<NonNullable<KindView['last_error']>>(lastError),
  }
}

function problemView({ subject, error, since, alertId, actions, ...rest }: OverviewProblem): ProblemView {
  return {
    ...rest,
    numbers: { ...rest.numbers },
    since: since?.toISOString() ?? null,
    subject: toWire<ProblemView['subject']>(subject),
    error: error === null ? null : toWire<NonNullable<ProblemView['error']>>(error),
    alert_id: alertId,
    actions: [...actions],
  }
}
