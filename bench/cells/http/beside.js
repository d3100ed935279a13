// What a job costs at each of the three: the client, the server, the database.
import { beside, cost } from '../../cell.js'
import { median } from '../../holds.js'

export function besideServer(env, id, what, samples) {
  const taken = samples.filter(Boolean)
  const entry = (who, said, value) =>
    beside(env, { id: `${id}_cpu_of_${who}`, what: `CPU of ${said} for ${what}`, unit: 'µs', value })
  return [
    entry('caller', 'the client', median(taken.map(({ clientCpuUs }) => clientCpuUs))),
    entry('http', 'the server’s process', median(taken.map(({ serverCpuUs }) => serverCpuUs))),
    entry('postgres', 'Postgres', cost(taken, 'cpuUs')),
  ]
}
