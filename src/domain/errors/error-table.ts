/**
 * Every error of Holdfast in one table. The code is for programs and never changes its meaning; the message is a sentence about what
 * happened; the remedy is a sentence the reader can act on. A part of a message in [brackets] is left out when its detail is unknown.
 */
import { OPERATE_ERRORS } from './operate-errors.js'

export interface ErrorEntry {
  /** The HTTP status; it also separates the caller's mistakes (4xx) from failures of the server (5xx). */
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
    message: 'The value[ at {path}] is larger than the limit[ {limit}][ of {max} bytes].',
    remedy: 'Keep large data in a file or object store and put its address into the job, or raise the limit.',
  },
  too_deep: {
    status: 400,
    message: 'The value is nested too deep[ at {path}][; at most {max} levels are allowed].',
    remedy: 'Flatten the value, or store it as text.',
  },
  limit_exceeded: {
    status: 429,
    message: 'The limit[ {limit}][ of {max}] is reached.',
    remedy: 'Wait until some have ended, or remove what is not needed, and try again; or raise the limit.',
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
  queue_in_use: {
    status: 409,
    message: 'The queue[ "{queue}"] is in use[: {problem}].',
    remedy: 'Let its jobs end or cancel them, delete its schedules, export its items, and try again.',
  },
  wrong_preset: {
    status: 409,
    message: 'The queue[ "{queue}"] has[ the preset {preset},] not[ the preset {wanted}].',
    remedy:
      'While its live jobs all wait for their first attempt, change it with `holdfast queues update <queue> --preset <preset>`; or use another queue.',
  },
  no_preset_queue: {
    status: 409,
    message: 'No queue has the preset[ {preset}].',
    remedy:
      'Create one with `holdfast queues create <queue> --preset <preset>`, enqueue its first job with that preset, or name a queue.',
  },
  unknown_kind: {
    status: 400,
    message:
      'No program has declared the kind[ "{kind}"] of job[ for the queue "{queue}"][. Did you mean "{nearest}"?].',
    remedy:
      'Check the spelling with `holdfast kinds`, start a program that declares it, or let the queue accept it: `holdfast queues update <queue> --policy \'{"unknownKinds":"accept"}\'`.',
  },
  invalid_search: {
    status: 400,
    message: 'The search has a mistake[: {problem}][ Did you mean "{nearest}"?].',
    remedy: 'Correct the part at `position`; docs/search.md lists the fields.',
  },
  unknown_job: {
    status: 404,
    message: 'There is no job[ {job}].',
    remedy: 'Check the id; the job may have been pruned, or belong to another tenant.',
  },
  unknown_worker: {
    status: 404,
    message: 'There is no worker[ "{worker}"].',
    remedy: 'Check the name with `holdfast workers`; stopped workers are not listed.',
  },
  kind_not_found: {
    status: 404,
    message: 'No job of the kind[ "{kind}"] was counted, and no program declares it.',
    remedy:
      'Check the name with `GET /api/v1/kinds`. A new kind is counted within a minute of its first job.',
  },
  unknown_error_group: {
    status: 404,
    message: 'There is no group of errors[ "{fingerprint}"].',
    remedy: 'List them with `holdfast errors`; a group is deleted when it was not seen for ROLLUP_DAYS.',
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
    remedy: 'Run `holdfast jobs explain`: it lists the commands that the job allows now.',
  },
  strict_queue: {
    status: 409,
    message: 'The queue[ "{queue}"] is strict and does not allow this command[: {verb}].',
    remedy:
      'Enqueue a job of kind holdfast.cancel to cancel it, or retry it, which creates a new, linked job.',
  },
  lease_lost: {
    status: 409,
    message: 'This attempt[ {attempt}][ of job {job}] no longer holds its lease; nothing was written.',
    remedy:
      'Stop the handler: another worker may run the job now, or it has ended. Use a longer lease if this recurs.',
  },
  lease_gone: {
    status: 409,
    message: 'The lease[ {lease}] has expired and was cleared; no job was claimed under it.',
    remedy: 'Open a new lease and claim again; if this recurs, heartbeats do not reach the database in time.',
  },
  lease_stale: {
    status: 409,
    message:
      'The lease[ {lease}] is older than the connection to this database; no job was claimed under it.',
    remedy:
      'Open a new lease and claim under it. Keep the old one for the jobs it holds: renew it until they have ended, then close it.',
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
    message: 'Another process changed the same row at the same moment[: {problem}].',
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
    message: 'A call to SQS failed[: {problem}].',
    remedy:
      'Try again; if this recurs, check the permissions of the credentials and the attributes of the queue.',
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
  create_privilege_missing: {
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
    message: 'The database role that is connected may not do this[: {problem}].',
    remedy: 'Connect as a user with the right role; docs/roles.md lists what each role may do.',
  },
  role_privilege_missing: {
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
  app_stopped: {
    status: 503,
    message: 'This app was stopped[; it cannot {call} any more].',
    remedy: 'Call it before `stop()`, or open another app with `holdfast()`.',
  },
  // Errors of calls to a server.
  idempotency_in_flight: {
    status: 409,
    message: 'A request with this Idempotency-Key is still in progress.',
    remedy: 'Send it again in a moment: you will get the answer of the first request.',
  },
  server_unreachable: {
    status: 503,
    message: 'The server cannot be reached[: {problem}].',
    remedy: 'Check its address and that it runs. Calls that are safe to repeat were retried several times.',
  },
  unauthorized: {
    status: 401,
    message: 'This call needs a valid key[: {problem}].',
    remedy: 'Send `Authorization: Bearer hf_…` with a live key; `holdfast keys create` makes one.',
  },
  scope_missing: {
    status: 403,
    message: 'This key lacks the scope of the call[: "{scope}"].',
    remedy: 'Use a key that has the scope; `holdfast keys list` shows which key may do what.',
  },
  wrong_tenant: {
    status: 403,
    message: 'This key acts for another tenant[ than "{tenant}"].',
    remedy:
      'Use a key of that tenant, or one made with `--every-tenant`; the tenant of a call comes from its key alone.',
  },
  csrf_token_missing: {
    status: 403,
    message: 'This call has a session cookie, changes something, and lacks the CSRF token of that session.',
    remedy: 'Send the `csrf_token` of `GET /api/v1/session` in the header `x-csrf-token`.',
  },
  read_only: {
    status: 403,
    message: 'This server is read-only; it refused a call that changes something.',
    remedy: 'Use a server that was started without `--read-only`.',
  },
  cross_site: {
    status: 403,
    message: 'A page of another site made this call through a browser; the server refused it.',
    remedy: 'Call from a page of this server, or from a program instead of a browser.',
  },
  wrong_host: {
    status: 421,
    message: 'This server needs no key and therefore answers on this machine only[, not as "{host}"].',
    remedy: 'Call it as localhost or 127.0.0.1, or make a key with `holdfast keys create`.',
  },
  unknown_key: {
    status: 404,
    message: 'There is no live key[ {key}].',
    remedy: 'Check the id with `holdfast keys list`.',
  },
  key_name_taken: {
    status: 409,
    message: 'There is a live key[ named "{name}"] already.',
    remedy: 'Choose another name, or rotate the key.',
  },
  unknown_setting: {
    status: 404,
    message: 'There is no setting[ "{name}"][. Did you mean "{nearest}"?].',
    remedy: 'See the list of settings, or `holdfast settings list`.',
  },
  setting_overridden: {
    status: 409,
    message: 'The setting[ {name}] has another value[ because of {origin}], which wins over the database.',
    remedy: 'Remove that flag or variable first, at this server and at the workers.',
  },
  unknown_route: {
    status: 404,
    message: 'This server has no such route[. Did you mean {nearest}?].',
    remedy: 'See /docs for the list of routes, or /openapi.json for programs.',
  },
  method_not_allowed: {
    status: 405,
    message: 'This route does not support the method[ {method}][; it supports {allowed}].',
    remedy: 'Use one of the methods in the Allow header; /docs describes each.',
  },
  unsupported_media_type: {
    status: 415,
    message: 'The body is not JSON, or is not declared as JSON[: its type is {type}].',
    remedy: 'Send JSON with the header `Content-Type: application/json`.',
  },
  malformed_request: {
    status: 400,
    message: 'The request is malformed[: {problem}].',
    remedy: 'Check the client, or a proxy between it and this server.',
  },
  request_timeout: {
    status: 408,
    message: 'The request took too long to arrive.',
    remedy: 'Send it again; if this recurs, look at the network between client and server.',
  },
  headers_too_large: {
    status: 431,
    message: 'The headers are larger than the limit headerBytesMax.',
    remedy: 'Send fewer or shorter headers.',
  },
  draining: {
    status: 503,
    message: 'This server is shutting down.',
    remedy: 'Try again in a moment: another server answers, or this one after its restart.',
  },
  // Schedules.
  unknown_schedule: {
    status: 404,
    message: 'There is no schedule[ "{schedule}"][. Did you mean "{nearest}"?].',
    remedy: 'Check the name with `holdfast schedules list`.',
  },
  schedule_exists: {
    status: 409,
    message: 'There is a schedule[ named "{name}"] already.',
    remedy: 'Choose another name, or change the schedule that has it.',
  },
  schedule_declared: {
    status: 409,
    message: 'A program declares the schedule[ "{schedule}"] by name and would create it again.',
    remedy: 'Change the name in the program, start it, and delete the schedule that has the old one.',
  },
  schedule_not_declared: {
    status: 409,
    message: 'No program declares the schedule[ "{schedule}"], so there is no declaration to return to.',
    remedy: 'Change its fields one by one.',
  },
  // Alerts and webhooks.

  ...OPERATE_ERRORS,
} as const satisfies Record<string, ErrorEntry>
