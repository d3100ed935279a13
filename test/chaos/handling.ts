/** What every handler of a run writes down outside of the database: that it begins, is aborted, ends. It may be killed after any line. */
import type { JobContext } from 'holdfast'
import type { Journal } from './journal.js'
import { killAll, monotonic } from './processes.js'
import { type Input, KINDS } from './workload.js'

/** Processes that the next handler ends as the first thing it does: nothing comes sooner after a claim. */
let armed: readonly number[] = []
process.on('message', (order: { arm?: readonly number[] }) => {
  armed = order.arm ?? []
})

export type Handler = (ctx: JobContext, input: Input) => Promise<unknown>

export function noting({ journal, by, remote }: { journal: Journal; by: string; remote: boolean }) {
  return (handler: Handler): Handler =>
    async (ctx, input) => {
      const { jobId: job, attempt, kind } = ctx
      const handled = () => ({ job, attempt, lease: ctx.job.lease, at: monotonic(), by })
      const begun = handled()
      const { target } = ctx.job
      journal.write({ t: 'begin', ...begun, queue: KINDS[kind] as string, target: target ?? null, remote })
      if (armed.length > 0) {
        killAll(armed)
        process.send?.({ cutAt: monotonic() })
        armed = []
      }
      process.send?.({ began: begun.at })
      const aborted = () => journal.write({ t: 'aborted', ...handled() })
      ctx.signal.addEventListener('abort', aborted, { once: true })
      try {
        return await handler(ctx, input)
      } finally {
        ctx.signal.removeEventListener('abort', aborted)
        journal.write({ t: 'end', ...handled() })
      }
    }
}
