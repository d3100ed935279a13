// Pulling one job and reporting one item and its end, over and over, each client on a connection of its own.
import { byCallers, timed } from '../answer.js'
import { withStore } from '../ours/with-store.js'
import { withConnections } from './connection.js'
import { withBare, withOurs, withServerCpu } from './server.js'

export function httpPullReport(plan, step) {
  const paths = { pull: '/api/pull_job', report: '/api/report_results' }
  return withOurs(plan, ['work'], (server) => pullReport(server, paths, step))
}

export async function barePullReport(plan, step) {
  const [queueId] = await withStore(plan, 1, (store) => store.queues.ids(['bench']))
  const paths = { pull: '/pull', report: '/report' }
  return withBare(plan, { ...step, queueId }, (server) => pullReport(server, paths, step))
}

function pullReport(server, paths, { jobs, callers, warmUp }) {
  return withConnections(callers, server.url, server.headers, async (connections) => {
    const free = [...connections]
    const cycle = async () => {
      const connection = free.pop()
      const { job_id, lease_token } = await connection.post(paths.pull, { worker_id: 'bench' }, [200])
      const items = [{ id: job_id }]
      await connection.post(paths.report, { job_id, lease_token, items, done: true }, [200])
      free.push(connection)
    }
    await byCallers({ jobs: warmUp, callers }, cycle)
    return withServerCpu(server, () => timed(jobs, () => byCallers({ jobs, callers }, cycle)))
  })
}
