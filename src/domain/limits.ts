/**
 * Every bound of the system, by name. A refusal names the limit, so a reader finds it here.
 * `default` is the bound in force; an installation may set another one up to `hardMax`, which nothing passes.
 */
export interface Limit {
  readonly min: number
  readonly default: number
  readonly hardMax: number
  readonly unit: 'bytes' | 'levels' | 'characters' | 'ms' | 'count'
  readonly of: string
}

const KIB = 1024
const MIB = 1024 * KIB
const SECOND = 1000
const DAY = 24 * 60 * 60 * SECOND
/** Ten years of 365.25 days, so the bound does not depend on where leap days fall. */
const TEN_YEARS = 3652.5 * DAY

function upTo(unit: Limit['unit'], max: number, of: string, hardMax = max): Limit {
  return { min: 0, default: max, hardMax, unit, of }
}

function between(unit: Limit['unit'], min: number, max: number, of: string, hardMax = max): Limit {
  return { min, default: max, hardMax, unit, of }
}

export const LIMITS = {
  payloadBytesMax: upTo('bytes', 256 * KIB, 'the input of a job, as JSON text', MIB),
  depthMax: upTo('levels', 64, 'arrays and objects inside each other'),
  resultBytesMax: upTo('bytes', 256 * KIB, 'the result of an attempt, as JSON text', MIB),
  errorMessageBytesMax: upTo('bytes', 8 * KIB, 'the message of an error'),
  stackBytesMax: upTo('bytes', 16 * KIB, 'the stack of an error'),
  logExcerptBytesMax: upTo('bytes', 16 * KIB, 'the log excerpt of an attempt; its end is kept'),
  progressBytesMax: upTo('bytes', 16 * KIB, 'the progress of an attempt, as JSON text'),
  cursorBytesMax: upTo('bytes', 16 * KIB, 'the cursor of a job, as JSON text'),
  itemsPerReportMax: upTo('count', 1000, 'items in one report'),
  itemBytesMax: upTo('bytes', 64 * KIB, 'one item, as JSON text'),
  reportBytesMax: upTo('bytes', 5 * MIB, 'one report with all its items'),
  nameChars: between('characters', 1, 100, 'names of queues, kinds, workers and tenants'),
  keyChars: between('characters', 1, 256, 'a dedup key'),
  targetChars: between('characters', 1, 256, 'a target'),
  idempotencyKeyChars: between('characters', 1, 256, 'an Idempotency-Key'),
  reasonChars: upTo('characters', 1000, 'the reason a person gives for a command'),
  priority: between('count', 0, 100, 'a priority; the highest goes first'),
  leaseMs: between('ms', SECOND, DAY, 'a lease'),
  waitMs: upTo('ms', 30 * SECOND, 'how long a claim may wait for work'),
  runAtAheadMs: upTo('ms', TEN_YEARS, 'how far ahead a job may be scheduled'),
  delayMs: upTo('ms', TEN_YEARS, 'a delay'),
  timeoutMs: between('ms', 1, 7 * DAY, 'the time one attempt may take'),
  staleAfterMs: between('ms', 1, 3650 * DAY, 'the time after which a subject is due again'),
  batchMax: between('count', 1, 1000, 'jobs in one call', 10_000),
  pageMax: between('count', 1, 500, 'rows on one page'),
  bulkIdsMax: between('count', 1, 1000, 'job ids in one bulk command'),
  searchChars: upTo('characters', 2000, 'the text of a search'),
  searchTerms: upTo('count', 30, 'terms of a search'),
  searchValues: between('count', 1, 100, 'values of one field in a search'),
  searchBudgetMs: between(
    'ms',
    10,
    300,
    'how long one call searches before it returns what it has found',
    2500,
  ),
  searchedRows: between('count', 1000, 200_000, 'jobs that one call examines at most', 1_000_000),
  searchPaths: between('count', 1, 8, 'fields of the input that a kind makes searchable'),
  searchMatches: between('count', 1, 1000, 'matches that are counted for facets and previews', 100_000),
  bulkJobsMax: between('count', 1, 100_000, 'jobs that one bulk operation acts on', 1_000_000),
  bulkCountMax: between('count', 1, 10_000, 'jobs that the preview of a bulk operation counts'),
  bulkOpenMax: between('count', 1, 20, 'bulk operations of a tenant that have not ended'),
  savedViewsMax: between('count', 1, 200, 'saved views of a tenant'),
  savedViewNameChars: between('characters', 1, 100, 'the name of a saved view'),
  savedViewColumnsMax: upTo('count', 30, 'columns of a saved view'),
  labelsMax: upTo('count', 16, 'labels of a job'),
  maxRetries: between('count', 0, 1000, 'retries after the first run'),
  maxAttempts: between('count', 1, 1001, 'runs of a job, the first one included'),
  descriptionChars: upTo('characters', 1000, 'the description of a schedule'),
  catchUpMax: between('count', 1, 1000, 'missed slots of a schedule that are made up for'),
  scheduleJitterMs: upTo('ms', DAY, 'how much later than its slot a schedule may fire'),
  previewMax: between('count', 1, 1000, 'slots of a schedule in one preview'),
  crashBudget: between('count', 1, 1000, 'leases lost in a row before a job counts as the cause'),
  kindsCountedMax: between(
    'count',
    1,
    200,
    'kinds of a tenant that are counted; those beyond are counted as one',
  ),
  versionsPerKindMax: between('count', 1, 20, 'versions of workers that are counted for a kind'),
  errorGroupsMax: between('count', 1, 1000, 'groups of errors of a tenant; errors beyond are counted as one'),
  errorSamplesMax: between('count', 1, 20, 'jobs that are kept as samples of a group of errors'),
  problemsPerTypeMax: between('count', 1, 10, 'problems of one type in the overview'),
  placeCountMax: between('count', 1, 10_000, 'rows of a place that the overview examines'),
  workerJobsMax: between('count', 1, 200, 'jobs in the details of a worker'),
} as const satisfies Record<string, Limit>

export type LimitName = keyof typeof LIMITS

/** What names are made of: safe in URLs, metric labels, file names and shells. */
export const NAME_PATTERN = /^[A-Za-z0-9_.:-]+$/

/** Schedules are named by people, so their names may have single spaces too. */
export const SCHEDULE_NAME_PATTERN = /^[A-Za-z0-9_.:-]+(?: [A-Za-z0-9_.:-]+)*$/
export const SCHEDULE_NAME_PROBLEM =
  'must consist of letters, digits and _ . : - only, with single spaces between them'
