/** The overview of the tenant: problems, flow and counts. One resource for the navigation and the page Overview, so that they agree. */
import { computed, signal } from '@preact/signals'
import type { AnswerOf } from '../api/contract.js'
import type { Resource } from '../api/resource.js'
import type { PageName } from './url.js'

export type Overview = AnswerOf<'GET /api/v1/overview'>

/** Loaded by the shell while it is shown. */
export const overviewResource = signal<Resource<Overview> | null>(null)
const overview = computed(() => overviewResource.value?.data.value)

interface NavCount {
  readonly value: number
  /** Counting stopped: "1,000+". */
  readonly capped?: boolean
  /** Red: something is wrong. */
  readonly wrong?: boolean
}

/** The count beside an entry of the navigation. */
export function navCount(page: PageName): NavCount | undefined {
  if (overview.value === undefined) return undefined
  const { counts, problems } = overview.value
  const has = (type: Overview['problems'][number]['type']) => problems.some((each) => each.type === type)
  // A red number counts what is wrong, not everything there is.
  const unserved = new Set(
    problems.filter(({ type }) => type === 'no_worker').map(({ subject }) => subject.queue ?? subject.name),
  ).size
  // The rule of a schedule decides what is late there, and the overview lists it.
  const late = Math.max(counts.late_schedules, problems.filter(({ type }) => type === 'late_schedule').length)
  const byPage: Partial<Record<PageName, NavCount>> = {
    jobs: { value: counts.jobs.count, capped: counts.jobs.capped },
    errors: { value: counts.error_groups, wrong: has('failing_kind') },
    kinds: { value: counts.kinds },
    queues: unserved > 0 ? { value: unserved, wrong: true } : { value: counts.queues },
    targets: {
      value: counts.blocked_targets.count,
      capped: counts.blocked_targets.capped,
      wrong: counts.blocked_targets.count > 0,
    },
    schedules: late > 0 ? { value: late, wrong: true } : { value: counts.schedules },
    workers: { value: counts.workers },
    alerts: { value: counts.firing_alerts, wrong: counts.firing_alerts > 0 },
  }
  const found = byPage[page]
  return found === undefined || (found.value === 0 && !found.wrong) ? undefined : found
}
