/** Waits for the ends of jobs, for handles of remote programs. */
import { toWire } from '../../contract/case.js'
import { endsContract } from '../../contract/jobs/ends.js'
import type { JobEnd } from '../../handles/job-ended.js'
import type { Results } from '../../store/finish/results.js'
import { waiting } from '../access/waiting-calls.js'
import { routes } from '../http/route.js'

type EndView = (typeof endsContract)['awaitEnds']['response'][200]['_zod']['input']['ends'][number]

export const endRoutes = routes<typeof endsContract>(endsContract, {
  awaitEnds: async (call) => {
    const { store, tenant, body, signal, server } = call
    const jobIds = [...new Set(body.job_ids)]
    const tenants = await store.read.tenantsOf(jobIds)
    const ownIds = jobIds.filter((jobId) => tenants.get(jobId) === tenant)
    const unknown = jobIds.filter((jobId) => tenants.get(jobId) !== tenant)
    let ends = ownIds.length === 0 ? [] : await store.read.ends(ownIds)
    const wait = body.wait_ms > 0 && ends.length === 0 && unknown.length === 0
    if (wait) {
      ends = await waiting(call, () => firstEnds(server.results, ownIds, body.wait_ms, signal))
      await call.stillAllowed()
    }
    const views = ends.map((end) => toWire<EndView>({ ...end, result: server.redact(end.result) }))
    return { status: 200, body: { ends: views, unknown } }
  },
})

/** Resolves with the first ends; with none when the time is over, the caller has disconnected or the server stops. */
async function firstEnds(
  results: Results,
  jobIds: readonly number[],
  waitMs: number,
  signal: AbortSignal,
): Promise<JobEnd[]> {
  const enough = new AbortController()
  const until = AbortSignal.any([signal, enough.signal, AbortSignal.timeout(waitMs)])
  const ends: JobEnd[] = []
  const waits = jobIds.map((jobId) =>
    results.wait(jobId, { signal: until }).then(
      (end) => {
        ends.push(end)
        // Ends that arrive in the same turn are included.
        setImmediate(() => enough.abort())
      },
      // A pruned job never ends: the caller's next call reports it as unknown.
      () => enough.abort(),
    ),
  )
  await Promise.all(waits)
  return ends
}
