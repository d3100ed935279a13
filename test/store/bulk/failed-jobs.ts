/** Jobs that have failed, in any number, by the verbs that a worker calls. */
import type { Store } from 'holdfast/store'

export interface FailedJobs {
  readonly queue?: string
  readonly kind?: string
  readonly tenant?: string
  readonly fields?: (index: number) => { readonly target?: string; readonly key?: string }
}

/** The ids, oldest first. */
export async function failedJobs(
  store: Store,
  count: number,
  { queue = 'mail', kind = 'send', tenant = 'default', fields = () => ({}) }: FailedJobs = {},
): Promise<number[]> {
  const ids: number[] = []
  for (let from = 0; from < count; from += 1_000) {
    const jobs = Array.from({ length: Math.min(1_000, count - from) }, (_, i) => ({
      queue,
      kind,
      ...fields(from + i),
    }))
    for (const { jobId } of await store.enqueueMany(jobs, { tenant })) ids.push(jobId)
  }
  for (;;) {
    const claimed = await store.work.claim({ queues: [queue], worker: 'w', limit: 1_000, tenant })
    if (claimed.length === 0) break
    await store.work.finish(
      claimed.map((job) => ({ ...job, outcome: 'failed' as const, retryable: false, reason: 'no' })),
    )
  }
  return ids
}

/** How many of these jobs are in each state. */
export async function statesOf(store: Store, ids: readonly number[]): Promise<Record<string, number>> {
  const rows = await store.database.query<{ state: string; n: number }>(
    'select state::text, count(*)::int as n from holdfast.states_of($1::bigint[]) group by 1',
    [ids],
  )
  return Object.fromEntries(rows.map(({ state, n }) => [state, n]))
}
