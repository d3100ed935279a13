// Making jobs one call at a time, by so many clients at once.
import { byCallers, timed } from '../answer.js'
import { withStore } from '../ours/with-store.js'
import { withConnections } from './connection.js'
import { withBare, withOurs, withServerCpu } from './server.js'

/** What a job is, when it was made and where it waits, with the one index that nobody leaves out. */
export const BARE_TABLE = `create table bare_job (id bigint generated always as identity primary key, created_at timestamptz not null default now(),
  queue text not null, kind text not null, input jsonb not null, state text not null default 'queued')`

export function httpCreate(plan, step) {
  return withOurs(plan, ['enqueue'], (server) => create(server, '/api/v1/jobs', step))
}

export async function bareCreate(plan, step) {
  const result = await withBare(plan, step, (server) => create(server, '/jobs', step))
  const made = step.jobs + step.warmUp
  const [{ n }] = await withStore(plan, 1, ({ database }) =>
    database.query('select count(*)::int as n from bare_job'),
  )
  if (n !== made) throw new Error(`${n} rows instead of ${made}`)
  return result
}

function create(server, path, { jobs, callers, warmUp }) {
  return withConnections(callers, server.url, server.headers, async (connections) => {
    const free = [...connections]
    const post = async (n) => {
      const connection = free.pop()
      await connection.post(path, { queue: 'bench', kind: 'noop', input: { n } }, [201])
      free.push(connection)
    }
    await byCallers({ jobs: warmUp, callers }, post)
    return withServerCpu(server, () => timed(jobs, () => byCallers({ jobs, callers }, post)))
  })
}
