/**
 * Lists of jobs narrowed by what no index knows: who worked on them, their errors, attempts and times. Plain pages are read one after the
 * other and sifted, PAGES_MAX of them at most in one call; so a page may be short, or empty, and still have a next one. Times help: ids are
 * given out in the order of creation, but for moments, so a search knows where to begin and where to end.
 */
import { LIMITS } from '../domain/limits.js'
import {
  cursorOf,
  isByEnd,
  type ListedJob,
  listJobs,
  type Page,
  type PlainFilter,
  type Rows,
} from './list-jobs.js'

export interface JobFilter extends PlainFilter {
  /** Has it now, or had it in an attempt. */
  readonly worker?: string
  readonly errorFingerprint?: string
  readonly attemptsMin?: number
  readonly attemptsMax?: number
  /** From this time on, and before that one. */
  readonly createdAfter?: Date | string
  readonly createdBefore?: Date | string
  readonly finishedAfter?: Date | string
  readonly finishedBefore?: Date | string
}

const PAGES_MAX = 10
/** Ids looked past the place where times say that nothing more can be: a moment's worth of them, and a moment. */
const SLACK_IDS = 1_000
const SLACK_MS = 60_000

export async function searchJobs(rows: Rows, filter: JobFilter): Promise<Page<ListedJob>> {
  const sieve = sieveOf(filter)
  if (sieve === undefined) return listJobs(rows, filter)
  const limit = filter.limit ?? 50
  const found: ListedJob[] = []
  let after = filter.after ?? (await beginning(rows, filter))
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    // By end, a cursor within a page would be less exact than the database's own.
    const size = isByEnd(filter) ? limit - found.length : LIMITS.pageMax.default
    const page = await listJobs(rows, { ...filter, limit: size, ...(after === undefined ? {} : { after }) })
    const had = await hadAttempt(rows, page.rows, filter)
    for (const job of page.rows) {
      if (sieve.past(job)) return { rows: found, next: null }
      if (sieve.fits(job, had)) found.push(job)
      if (found.length === limit && !isByEnd(filter)) return { rows: found, next: cursorOf([job.id]) }
    }
    if (page.next === null || found.length === limit) return { rows: found, next: page.next }
    after = page.next
  }
  return { rows: found, next: after ?? null }
}

interface Sieve {
  fits(job: ListedJob, had: Had): boolean
  /** None of the jobs that follow can fit. */
  past(job: ListedJob): boolean
}

interface Had {
  readonly worker: ReadonlySet<number>
  readonly error: ReadonlySet<number>
}

/** Undefined where there is nothing to sift. */
function sieveOf(filter: JobFilter): Sieve | undefined {
  const { worker, errorFingerprint, attemptsMin, attemptsMax } = filter
  const createdAfter = msOf(filter.createdAfter)
  const createdBefore = msOf(filter.createdBefore)
  const finishedAfter = msOf(filter.finishedAfter)
  const finishedBefore = msOf(filter.finishedBefore)
  const asked = [
    worker,
    errorFingerprint,
    attemptsMin,
    attemptsMax,
    createdAfter,
    createdBefore,
    finishedAfter,
    finishedBefore,
  ]
  if (asked.every((value) => value === undefined)) return undefined
  return {
    fits: (job, had) =>
      isIn(job.createdAt, createdAfter, createdBefore) &&
      isIn(job.finishedAt, finishedAfter, finishedBefore) &&
      job.attempt >= (attemptsMin ?? 0) &&
      job.attempt <= (attemptsMax ?? Number.POSITIVE_INFINITY) &&
      (worker === undefined || job.leaseOwner === worker || had.worker.has(job.id)) &&
      (errorFingerprint === undefined || had.error.has(job.id)),
    past: (job) =>
      isByEnd(filter)
        ? (job.finishedAt?.getTime() ?? 0) < (finishedAfter ?? 0)
        : job.createdAt.getTime() < (createdAfter ?? 0) - SLACK_MS,
  }
}

function isIn(time: Date | null, from: number | undefined, to: number | undefined): boolean {
  if (from === undefined && to === undefined) return true
  const ms = time?.getTime()
  return ms !== undefined && ms >= (from ?? 0) && ms < (to ?? Number.POSITIVE_INFINITY)
}

function msOf(time: Date | string | undefined): number | undefined {
  return time === undefined ? undefined : new Date(time).getTime()
}

/** Which of these jobs had an attempt by that worker, or with that error. */
async function hadAttempt(rows: Rows, jobs: readonly ListedJob[], filter: JobFilter): Promise<Had> {
  const { worker, errorFingerprint } = filter
  if ((worker === undefined && errorFingerprint === undefined) || jobs.length === 0) return NONE
  const attempts = await rows(
    `select a.job_id, a.worker = $2 as by_worker, a.error_fingerprint = $3 as with_error from holdfast.attempts a
     where a.job_id = any ($1::bigint[]) and (a.worker = $2 or a.error_fingerprint = $3)`,
    [jobs.map(({ id }) => id), worker ?? null, errorFingerprint ?? null],
  )
  const ids = (fits: (row: Record<string, unknown>) => boolean) =>
    new Set(attempts.filter(fits).map((row) => row.job_id as number))
  return { worker: ids((row) => row.by_worker === true), error: ids((row) => row.with_error === true) }
}

const NONE: Had = { worker: new Set(), error: new Set() }

/** Where a list begins that ends before a time; undefined: with the newest. */
async function beginning(rows: Rows, filter: JobFilter): Promise<string | undefined> {
  const { tenant, queue, createdBefore, finishedBefore } = filter
  if (isByEnd(filter))
    return finishedBefore === undefined ? undefined : cursorOf([new Date(finishedBefore).toISOString(), 0])
  // A job that ended before a time was also made before it.
  const times = [msOf(createdBefore), msOf(finishedBefore)].filter((ms) => ms !== undefined)
  if (times.length === 0) return undefined
  const whose = { ...(tenant === undefined ? {} : { tenant }), ...(queue === undefined ? {} : { queue }) }
  const newestBelow = async (id?: number) =>
    (await listJobs(rows, { ...whose, limit: 1, ...(id === undefined ? {} : { after: cursorOf([id]) }) }))
      .rows[0]
  let above = ((await newestBelow())?.id ?? 0) + 1
  let below = 0
  while (above - below > SLACK_IDS) {
    const middle = Math.floor((above + below) / 2)
    const job = await newestBelow(middle)
    if (job !== undefined && job.createdAt.getTime() >= Math.min(...times)) above = job.id
    else below = middle
  }
  return cursorOf([above + SLACK_IDS])
}
