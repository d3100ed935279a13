/**
 * Every way Holdfast refuses or fails, in one table. The code is for programs and never changes its meaning; the
 * message says what happened; the remedy is a sentence the reader can act on.
 * A part of a message in [brackets] is left out when the detail it names is unknown.
 */
import { ALERT_ERRORS } from './errors-of-alerts.js'
import { CALL_ERRORS } from './errors-of-calls.js'
import { SCHEDULE_ERRORS } from './errors-of-schedules.js'

export interface ErrorEntry {
  /** The HTTP status, also used to tell the caller's mistakes (4xx) from ours (5xx). */
  readonly status: number
  readonly message: string
  readonly remedy: string
}

export const ERRORS = {
  invalid_input: {
    status: 400,
    message: 'The input is not valid[ at {path}][: {problem}].',
    remedy: 'Correct the value at the path given and send it again.',
  },
  payload_too_large: {
    status: 413,
    message: 'The value[ at {path}] is larger than the limit[ {limit}][ of {most} bytes].',
    remedy: 'Keep large data in a file or object store and put its address into the job, or raise the limit.',
  },
  too_deep: {
    status: 400,
    message: 'The value is nested too deep[ at {path}][; at most {most} levels are allowed].',
    remedy: 'Flatten the value, or store it as text.',
  },
  limit_exceeded: {
    status: 429,
    message: 'The limit[ {limit}][ of {most}] is reached.',
    remedy: 'Wait until some of the work is done and try again, or raise the limit.',
  },
  unknown_queue: {
    status: 404,
    message: 'There is no queue[ "{queue}"][. Did you mean "{nearest}"?].',
    remedy: 'Create the queue first, or check the spelling with `holdfast queues list`.',
  },
  unknown_preset: {
    status: 400,
    message: 'There is no preset[ "{preset}"][. Did you mean "{nearest}"?].',
    remedy: 'Use one of default, harvest, crawl, pipeline, target, catalog.',
  },
  queue_exists: {
    status: 409,
    message: 'The queue[ "{queue}"] exists already, with another policy.',
    remedy: 'Change the policy of the existing queue, or choose another name.',
  },
  unknown_job: {
    status: 404,
    message: 'There is no job[ {job}].',
    remedy: 'Check the id; the job may have been pruned, or belong to another tenant.',
  },
  unknown_worker: {
    status: 404,
    message: 'There is no worker[ "{worker}"].',
    remedy: 'Check the name with `holdfast workers`; one that ended is no longer shown.',
  },
  unknown_subject: {
    status: 404,
    message: 'There is no subject[ "{subject}"].',
    remedy: 'Check the id with `holdfast subjects list`.',
  },
  unknown_chore: {
    status: 404,
    message: 'There is no chore[ "{chore}"][. Did you mean "{nearest}"?].',
    remedy: 'See the list with `holdfast upkeep list`.',
  },
  wrong_state: {
    status: 409,
    message: 'The job[ {job}] does not allow the command[ "{verb}"] in its present state[ "{state}"].',
    remedy: 'Look at the job with `holdfast jobs explain`, which says which commands it allows now.',
  },
  strict_queue: {
    status: 409,
    message: 'The queue[ "{queue}"] is strict and does not allow this command[: {verb}].',
    remedy:
      'Enqueue a job of kind holdfast.cancel to ask for a cancellation, or retry to make a new, linked job.',
  },
  lease_lost: {
    status: 409,
    message: 'This attempt[ {attempt}][ of job {job}] no longer holds its lease; nothing was written.',
    remedy:
      'Stop working on the job: it has been given to another worker, or was ended. Lengthen the lease if this recurs.',
  },
  lease_gone: {
    status: 409,
    message: 'The lease[ {lease}] has expired and was cleared; no job was claimed under it.',
    remedy:
      'Take a new lease and claim again; if this recurs, heartbeats are not reaching the database in time.',
  },
  lease_stale: {
    status: 409,
    message:
      'The lease[ {lease}] is older than the connection to this database; no job was claimed under it.',
    remedy:
      'Take a new lease and claim under that one. What the old one holds stays yours: renew it until those jobs have ended, then close it.',
  },
  lease_token_required: {
    status: 400,
    message: 'A write to a running job needs the lease token that came with the claim.',
    remedy:
      'Send the `lease_token` of the claim; without it a stale worker could overwrite the work of another.',
  },
  key_taken: {
    status: 409,
    message: 'Another live job[ {job}] holds the key[ "{key}"].',
    remedy: 'Wait until that job ends or cancel it, then try again.',
  },
  idempotency_mismatch: {
    status: 422,
    message: 'The Idempotency-Key[ "{key}"] was used before with another body.',
    remedy: 'Use a fresh Idempotency-Key for each different request.',
  },
  conflict: {
    status: 409,
    message: 'Somebody else changed the same thing at the same moment[: {problem}].',
    remedy: 'Read the present state and try again.',
  },
  job_locked: {
    status: 503,
    message: 'Another transaction has a lock on a job of this call; everything else of it was written.',
    remedy:
      'Send the same call again; if this recurs, `holdfast doctor` names the transaction that is left open.',
  },
  deadline_exceeded: {
    status: 504,
    message: 'The call[ {call}] did not finish[ within {ms} ms][: {problem}].',
    remedy: 'Try again; if this recurs, look for long transactions and load with `holdfast doctor`.',
  },
  unavailable: {
    status: 503,
    message: 'The database cannot be reached[: {problem}].',
    remedy:
      'Check that Postgres runs and that DATABASE_URL points to it; work continues by itself once it answers.',
  },
  package_missing: {
    status: 503,
    message: 'The package[ {package}][, which {for} needs,] is not installed.',
    remedy: 'Install it beside holdfast: `npm install @aws-sdk/client-sqs`.',
  },
  sqs_refused: {
    status: 502,
    message: 'SQS did not do what it was asked to[: {problem}].',
    remedy:
      'Try again; if this recurs, look at the rights of the credentials and at the attributes of the queue.',
  },
  schema_missing: {
    status: 503,
    message: 'The schema[ "{schema}"] is not installed in this database.',
    remedy: 'Run `holdfast migrate up`.',
  },
  schema_ahead: {
    status: 503,
    message:
      'The database schema[ is at version {found} and] is newer than this program[, which knows {known}].',
    remedy: 'Deploy a newer holdfast before this process starts; an older one must not write to this schema.',
  },
  schema_behind: {
    status: 503,
    message: 'The database schema[ is at version {found} and] is older than this program needs[: {known}].',
    remedy: 'Run `holdfast migrate up`.',
  },
  schema_name_invalid: {
    status: 400,
    message: 'The schema name[ "{schema}"] cannot be used.',
    remedy:
      'Use 1 to 40 lower-case letters, digits and underscores, beginning with a letter and not with pg_.',
  },
  not_utf8: {
    status: 503,
    message: 'The database encoding is[ {encoding},] not UTF8.',
    remedy: "Create a database with `create database … encoding 'UTF8' template template0` and use that one.",
  },
  postgres_too_old: {
    status: 503,
    message: 'This Postgres[ is version {found} and] is too old[; {needed} or later is needed].',
    remedy:
      'Upgrade the server to Postgres 15 or later, or leave DATABASE_URL empty to use the embedded one.',
  },
  no_create_right: {
    status: 503,
    message: 'The database user[ "{user}"] may not create a schema[ in database "{database}"].',
    remedy:
      'Grant it: `grant create on database … to …`, or run `holdfast migrate sql` and let an owner apply it.',
  },
  tenant_denied: {
    status: 403,
    message: 'This user of the database may not act for the tenant[ "{tenant}"].',
    remedy: "Let the server's role grant it: `select holdfast.grant_tenant('the_role', 'the_tenant')`.",
  },
  forbidden: {
    status: 403,
    message: 'The database does not allow this to whoever is connected[: {problem}].',
    remedy: 'Connect as a user with the right role; docs/roles.md says which role may do what.',
  },
  no_role_right: {
    status: 503,
    message:
      'The database user[ "{user}"] may not install or change the roles of the schema[ "{schema}"][: {problem}].',
    remedy:
      'Use the owner of the schema and grant it CREATEROLE, or let a superuser apply sql/roles.sql. Holdfast also works without roles.',
  },
  embedded_in_use: {
    status: 503,
    message: 'Another process[ {pid}] already uses the embedded database[ in {folder}].',
    remedy: 'Stop that process, choose another folder, or set DATABASE_URL to share one server.',
  },
  embedded_unavailable: {
    status: 503,
    message: 'The embedded Postgres cannot run here[: {problem}].',
    remedy: 'Set DATABASE_URL to a Postgres 15 or later, or allow the in-process database.',
  },
  internal: {
    status: 500,
    message: 'Something unexpected happened inside Holdfast[: {problem}].',
    remedy: 'Please report it with the request id and the log lines around it.',
  },
  ...CALL_ERRORS,
  ...ALERT_ERRORS,
  ...SCHEDULE_ERRORS,
} as const satisfies Record<string, ErrorEntry>

export type ErrorCode = keyof typeof ERRORS
export type ErrorDetails = Readonly<Record<string, unknown>>

export interface ErrorOptions {
  readonly cause?: unknown
  /** A better sentence than the table's, from whoever saw it happen: the database says it in its own words. */
  readonly message?: string
}

export class HoldfastError extends Error {
  override readonly name: string = 'HoldfastError'
  readonly code: ErrorCode
  readonly status: number
  readonly remedy: string
  readonly details: ErrorDetails

  constructor(code: ErrorCode, details: ErrorDetails = {}, options: ErrorOptions = {}) {
    // Without a cause there must be no `cause` property either, or printing the error shows an empty one.
    super(
      options.message ?? messageFor(code, details),
      'cause' in options ? { cause: options.cause } : undefined,
    )
    this.code = code
    this.status = ERRORS[code].status
    this.remedy = ERRORS[code].remedy
    this.details = details
  }
}

/** A write came from an attempt that no longer owns its job. A type of its own, so that it cannot be overlooked. */
export class LeaseLost extends HoldfastError {
  override readonly name = 'LeaseLost'

  constructor(details: ErrorDetails = {}, options: ErrorOptions = {}) {
    super('lease_lost', details, options)
  }
}

export function holdfastError(
  code: ErrorCode,
  details: ErrorDetails = {},
  options: ErrorOptions = {},
): HoldfastError {
  return code === 'lease_lost' ? new LeaseLost(details, options) : new HoldfastError(code, details, options)
}

/** What a caller said cannot be: where it stands in what was said, as a JSON pointer, and the end of "it …". */
export function invalidInput(path: string, problem: string, limit?: string): HoldfastError {
  return new HoldfastError(
    'invalid_input',
    limit === undefined ? { path, problem } : { path, problem, limit },
  )
}

export function isErrorCode(word: unknown): word is ErrorCode {
  return typeof word === 'string' && Object.hasOwn(ERRORS, word)
}

function messageFor(code: ErrorCode, details: ErrorDetails): string {
  const message = ERRORS[code].message.replace(
    /\[([^[\]{}]*)\{(\w+)\}([^[\]{}]*)\]/g,
    (_part, before: string, name: string, after: string) => {
      const value = details[name]
      return value === undefined || value === null || value === '' ? '' : `${before}${String(value)}${after}`
    },
  )
  // A detail may be a sentence of its own.
  return message.replace(/([.?!])\.$/, '$1').trimEnd()
}
