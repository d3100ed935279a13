/**
 * Exports the jobs of a search as a file, page by page, so that any number of jobs needs the memory of one page. A slow reader slows the
 * export down, and a reader that stops ends it. Each page shows the jobs as they are when it is read.
 *
 * `ndjson` has a job a line, with its input. `csv` has the same fields as columns, the input as JSON.
 */

import type { Session } from '../../database/database.js'
import { snake } from '../../json/case.js'
import { csvCell, csvLine } from '../csv.js'
import { type FoundJob, foundJobs } from './found-jobs.js'
import type { MatchPage } from './matching.js'

export type JobFormat = 'csv' | 'ndjson'

const COLUMNS = [
  'id',
  'queue',
  'kind',
  'state',
  'status',
  'key',
  'target',
  'priority',
  'attempt',
  'maxRetries',
  'worker',
  'createdAt',
  'visibleAt',
  'startedAt',
  'finishedAt',
  'reason',
  'lastError',
  'errorClass',
  'errorFingerprint',
  'input',
] as const satisfies readonly (keyof FoundJob)[]

/** Whatever the limit was when a job was enqueued, and however much larger its input is as it is stored. */
const ANY_BYTES = 2 ** 31 - 1

export async function* exportJobs(
  session: Session,
  format: JobFormat,
  shown: (input: unknown) => unknown,
  page: (after: string | undefined) => Promise<MatchPage>,
): AsyncGenerator<string, void, undefined> {
  if (format === 'csv') yield csvLine(COLUMNS.map(snake))
  const write = format === 'csv' ? csvRow : jsonRow
  let after: string | undefined
  do {
    const { ids, next } = await page(after)
    const jobs = await foundJobs(session, ids, ANY_BYTES)
    // A page without matches is not the end: the search looks further.
    if (jobs.length > 0) yield jobs.map((job) => write({ ...job, input: shown(job.input) })).join('')
    after = next ?? undefined
  } while (after !== undefined)
}

function csvRow(job: FoundJob): string {
  return csvLine(COLUMNS.map((name) => csvCell(plain(job[name]))))
}

function jsonRow(job: FoundJob): string {
  return `${JSON.stringify(Object.fromEntries(COLUMNS.map((name) => [snake(name), plain(job[name])])))}\n`
}

function plain(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : value
}
