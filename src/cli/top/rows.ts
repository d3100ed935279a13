/** The rows that can be selected, and what each stands for: a queue, a job, or a search that Enter opens. */
import { literal, printTerm, type TextTerm } from '../../search/search.js'
import type { ShownProblem } from '../console/console.js'
import type { TopJob, TopJobs, TopSnapshot } from './snapshot.js'
import type { TopState, TopTab } from './state.js'

export interface TopRow {
  /** The same for as long as the thing exists. */
  readonly id: string
  readonly queue?: string
  readonly paused?: boolean
  readonly jobId?: number
  /** A search for jobs. */
  readonly filter?: string
  readonly tab?: TopTab
}

/** What was read last; undefined: not yet. */
export interface TopData {
  readonly snapshot: TopSnapshot | undefined
  readonly jobs: TopJobs | undefined
  readonly job: TopJob | undefined
}

export function rowsOf({ tab }: Pick<TopState, 'tab'>, { snapshot, jobs }: TopData): TopRow[] {
  if (tab === 'jobs') return jobRows(jobs, snapshot)
  if (snapshot === undefined) return []
  const sections = {
    queues: () => queueRows(snapshot),
    workers: () => workerRows(snapshot),
    targets: () => targetRows(snapshot),
    alerts: () => alertRows(snapshot),
  }
  if (tab !== 'overview') return sections[tab]()
  const all = Object.values(sections).flatMap((rows) => rows())
  return [...snapshot.problems.map((problem) => problemRow(problem, snapshot)), ...all]
}

const isPaused = (queue: string, snapshot: TopSnapshot | undefined): boolean =>
  snapshot?.queues.some(({ name, pausedAt }) => name === queue && pausedAt !== null) === true

function ofQueue(queue: string, snapshot: TopSnapshot | undefined) {
  return { queue, paused: isPaused(queue, snapshot) }
}

function searchFor(terms: Readonly<Partial<Record<TextTerm['field'], string>>>): string {
  return Object.entries(terms)
    .map(([field, value]) =>
      printTerm({ is: 'text', field: field as TextTerm['field'], not: false, values: [literal(value)] }),
    )
    .join(' ')
}

function queueRows(snapshot: TopSnapshot): TopRow[] {
  return snapshot.queues.map(({ name }) => ({
    id: `queue ${name}`,
    ...ofQueue(name, snapshot),
    filter: searchFor({ queue: name }),
  }))
}

function jobRows(jobs: TopJobs | undefined, snapshot: TopSnapshot | undefined): TopRow[] {
  return (jobs?.rows ?? []).map(({ id, queue }) => ({
    id: `job ${id}`,
    jobId: id,
    ...ofQueue(queue, snapshot),
  }))
}

function workerRows({ workers }: TopSnapshot): TopRow[] {
  return workers.map(({ worker }) => ({ id: `worker ${worker}`, filter: searchFor({ worker }) }))
}

function targetRows(snapshot: TopSnapshot): TopRow[] {
  return snapshot.targets.map(({ target, queue, jobId }) => ({
    id: `target ${queue} ${target}`,
    jobId,
    ...ofQueue(queue, snapshot),
  }))
}

/** The subject of an alert is a queue, a queue and a kind, or something else. */
function alertRows(snapshot: TopSnapshot): TopRow[] {
  return snapshot.alerts.map(({ id, subject }) => {
    const [queue = '', kind] = subject.split('/', 2)
    const isQueue = snapshot.queues.some(({ name }) => name === queue)
    return {
      id: `alert ${id}`,
      ...(isQueue
        ? { ...ofQueue(queue, snapshot), filter: searchFor({ queue, ...(kind ? { kind } : {}) }) }
        : {}),
    }
  })
}

/** What the dashboard would open for the problem, as far as this view has it. */
function problemRow({ id, actions }: ShownProblem, snapshot: TopSnapshot): TopRow {
  const rowId = `problem ${id}`
  for (const action of actions) {
    if (action.type !== 'open') continue
    const { page, params } = action
    if (page === 'job') return { id: rowId, jobId: Number(params.id) }
    if (page === 'queues' && params.queue !== undefined)
      return {
        id: rowId,
        ...ofQueue(params.queue, snapshot),
        filter: searchFor({ queue: params.queue }),
      }
    if (page === 'kinds' && params.kind !== undefined)
      return { id: rowId, filter: `${searchFor({ kind: params.kind })} state:failed,retrying` }
    if (page === 'alerts') return { id: rowId, tab: 'alerts' }
  }
  return { id: rowId }
}
