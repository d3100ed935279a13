/** The handlers of an app by kind, each with the validation of its input. */
import { HoldfastError } from '../domain/errors/errors.js'
import type { Store } from '../store/store.js'
import type { ContextExtras, HandlerEntry, HandlerTable, Parsed } from '../worker/handlers.js'
import { checkInput } from './check-input.js'
import type { JobContext } from './context.js'
import type { DefinedJob } from './define-job.js'
import type { EnqueueOptions, Enqueuer } from './enqueue.js'
import { asTransaction } from './transaction.js'

export function handlerTable(jobs: Iterable<DefinedJob>): HandlerTable {
  return new Map([...jobs].map((job) => [job.kind, entryOf(job)]))
}

function entryOf(job: DefinedJob): HandlerEntry {
  const rules = {
    ...(job.timeoutMs === undefined ? {} : { timeoutMs: job.timeoutMs }),
    ...(job.input === undefined ? {} : { parse: (input: unknown) => parsed(job, input) }),
  }
  if (job.isolate !== undefined && job.module !== undefined) {
    return { ...rules, isolate: job.isolate, module: job.module }
  }
  // The worker's context has commit and enqueue from `extrasOf`, which takes what JobContext says.
  return { ...rules, handler: (ctx, input) => job.handler(ctx as unknown as JobContext, input) }
}

async function parsed(job: DefinedJob, input: unknown): Promise<Parsed> {
  try {
    return { value: await checkInput(job.input, input) }
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error
    const { path, problem } = error.details as { path: string; problem: string }
    return { problem: { path, message: problem } }
  }
}

/** What handlers can do beside the worker's port, on connections that claims and heartbeats do not need. */
export function extrasOf(store: Store, enqueuer: Enqueuer, tenant: string | undefined): ContextExtras {
  return {
    commit: (ending, work) => store.work.commit(ending, (session) => work(session as never)),
    completeIn: (tx, ending) => store.work.commitOn(asTransaction(tx), ending),
    enqueue: (parent, args) => {
      const [job, input, options] = args as [DefinedJob, unknown, EnqueueOptions | undefined]
      return enqueuer.enqueue(job, input, {
        parentId: parent.jobId,
        ...(tenant === undefined ? {} : { tenant }),
        ...(parent.trace === null ? {} : { trace: parent.trace }),
        ...options,
      })
    },
  }
}
