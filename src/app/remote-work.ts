/** Working for a server: the same worker as with a database, with HTTP in between. Handlers cannot `commit`, which takes a transaction. */

import { Client } from '../client/client.js'
import type { TransportOptions } from '../client/transport.js'
import { PACKAGE_VERSION } from '../database/package.js'
import { invalidInput } from '../domain/errors/errors.js'
import type { Log } from '../domain/log.js'
import { logOf } from '../telemetry/default-log.js'
import { openTraces } from '../telemetry/traces.js'
import type { ContextExtras } from '../worker/handlers.js'
import { checkJobs } from './check-options.js'
import { kindsOf } from './declare-kinds.js'
import type { DefinedJob } from './define-job.js'
import { serverEngine } from './engine.js'
import { type EnqueueOptions, newJob } from './enqueue.js'
import { handlerTable } from './handler-table.js'
import { startWork, type WorkHandle, type WorkOptions } from './work.js'

export interface RemoteWorkOptions extends Omit<WorkOptions, 'processes'> {
  /** Where, and with which key: it needs the scope `work`, and `enqueue` if handlers make jobs. */
  readonly server: TransportOptions
  readonly jobs: readonly DefinedJob[]
  readonly log?: Log | false
}

/** Wake-ups come by a long poll, so asking is only a safety net. */
const POLL_MS = 2_000

/** Begins to work on the jobs of a server; resolves once it does. */
export async function work({ server, jobs, log: given, ...options }: RemoteWorkOptions): Promise<WorkHandle> {
  checkJobs(jobs)
  const log = logOf(given)
  const handlers = handlerTable(jobs)
  if (handlers.size < jobs.length) throw invalidInput('/jobs', 'there are two jobs of one kind')
  const extras = remoteExtras(server)
  return startWork(
    {
      engine: async () => serverEngine(server, log),
      tenant: server.tenant,
      handlers,
      queues: [...new Set(jobs.map((job) => job.queue))],
      kinds: kindsOf(jobs),
      log,
      traces: openTraces(PACKAGE_VERSION),
      extras: () => extras,
      ended: () => {},
    },
    { pollMs: POLL_MS, ...options },
  )
}

function remoteExtras(server: TransportOptions): ContextExtras {
  const client = new Client(server)
  return {
    commit: () =>
      Promise.reject(
        invalidInput(
          '/commit',
          'this worker works for a server and has no database to commit in; return the result instead',
        ),
      ),
    enqueue: async (parent, args) => {
      const [job, input, options = {}] = args as [DefinedJob, unknown, EnqueueOptions | undefined]
      const { tx, tenant, idempotencyKey, ...jobOptions } = options
      if (tx !== undefined || tenant !== undefined)
        throw invalidInput(
          tx === undefined ? '/tenant' : '/tx',
          'a worker of a server makes jobs there, for the tenant of its key',
        )
      const trace = parent.trace === null ? {} : { trace: parent.trace }
      const made = await newJob(job, input, { parentId: parent.jobId, ...trace, ...jobOptions })
      const { kind, input: _encoded, ...extras } = made
      return client.enqueue(kind, input, {
        ...(extras as object),
        ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      })
    },
  }
}
