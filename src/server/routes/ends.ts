import { toWire } from '../../contract/case.js'
import { endsContract } from '../../contract/ends.js'
import type { JobEnd } from '../../domain/job-ended.js'
import { Results } from '../../store/results.js'
import { routes, type ServerFacts } from '../route.js'
import { waiting } from '../waits.js'

type EndView = (typeof endsContract)['awaitEnds']['response'][200]['_zod']['input']['ends'][number]

/** One for a server: all that wait for ends share its questions. */
const results = new WeakMap<ServerFacts, Results>()

function resultsOf(server: ServerFacts): Results {
  let known = results.get(server)
  if (known === undefined) {
    known = new Results((jobIds) => server.store.read.ends(jobIds))
    results.set(server, known)
    const made = known
    server.stopping.addEventListener('abort', () => made.close())
  }
  return known
}

export const endRoutes = routes<typeof endsContract>(endsContract, {
  awaitEnds: async (call) => {
    const { store, tenant, body, signal, server } = call
    const asked = [...new Set(body.job_ids)]
    const tenants = await store.read.tenantsOf(asked)
    const own = asked.filter((jobId) => tenants.get(jobId) === tenant)
    const unknown = asked.filter((jobId) => tenants.get(jobId) !== tenant)
    let ends = own.length === 0 ? [] : await store.read.ends(own)
    const wait = body.wait_ms > 0 && ends.length === 0 && unknown.length === 0
    if (wait) {
      ends = await waiting(call, () => firstEnds(resultsOf(server), own, body.wait_ms, signal))
      await call.stillAllowed()
    }
    const shown = ends.map((end) => toWire<EndView>({ ...end, result: server.redact(end.result) }))
    return { status: 200, body: { ends: shown, unknown } }
  },
})

/** All that have ended when the first has; none when the time is over, the caller gone or the server about to stop. */
async function firstEnds(
  of: Results,
  jobIds: readonly number[],
  waitMs: number,
  signal: AbortSignal,
): Promise<JobEnd[]> {
  const enough = new AbortController()
  const until = AbortSignal.any([signal, enough.signal, AbortSignal.timeout(waitMs)])
  const ends: JobEnd[] = []
  const waits = jobIds.map((jobId) =>
    of.wait(jobId, { signal: until }).then(
      (end) => {
        ends.push(end)
        // What is told in the same breath comes along.
        setImmediate(() => enough.abort())
      },
      () => {},
    ),
  )
  await Promise.all(waits)
  return ends
}
