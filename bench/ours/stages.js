// Where the time of a drain goes: the CPU that client and server spend on each stage, one lane, one batch after the other, beside the
// same rows by bare SQL. CPU and not the clock, so that waiting for the disk or for a neighbour does not count.
import { readFileSync } from 'node:fs'
import pg from 'pg'
import { CLAIM, FINISH, OPTIONS } from './floor.js'

export async function stages(store, { url, jobs, batch }) {
  const { lease } = await store.work.openLease('bench', 600_000)
  const [{ id: worker }] = await store.database.query('select id from holdfast.worker')
  const [queueId] = await store.queues.ids(['bench'])
  const half = jobs / 2

  const ours = await meterOf((text) => store.database.query(text))
  const claimer = store.work.claimer()
  for (let done = 0; done < half; done += batch) {
    const claimed = await ours.spent('claim', batch, () =>
      claimer.claim({ worker: 'bench', lease, queues: ['bench'], limit: batch }),
    )
    const endings = claimed.map(({ jobId, attempt }) => ({
      jobId,
      attempt,
      lease,
      outcome: 'succeeded',
      startedAgoMs: 0,
    }))
    await ours.spent('finish', batch, () => store.work.finish(endings))
  }

  const client = new pg.Client({ connectionString: url, options: OPTIONS })
  await client.connect()
  const floor = await meterOf(async (text) => (await client.query(text)).rows)
  const ask = async (name, text, values) => (await client.query({ name, text, values })).rows
  for (let done = 0; done < half; done += batch) {
    const rows = await floor.spent('floor_claim', batch, () =>
      ask('claim', CLAIM, [queueId, batch, lease, worker]),
    )
    const ids = rows.map((row) => row.job_id)
    await floor.spent('floor_finish', batch, () => ask('finish', FINISH, [ids]))
  }
  await client.end()
  await store.work.closeLease(lease)
  return { stages: { ...ours.stages, ...floor.stages } }
}

/** Counts the CPU of this process and of the backend behind one connection. */
async function meterOf(query) {
  const [{ pid }] = await query('select pg_backend_pid() as pid')
  const serverUs = () => Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1_000
  const found = {}
  return {
    stages: found,
    async spent(name, jobs, work) {
      const [client, server] = [process.cpuUsage(), serverUs()]
      const result = await work()
      const { user, system } = process.cpuUsage(client)
      found[name] ??= { client: [], server: [] }
      found[name].client.push((user + system) / jobs)
      found[name].server.push((serverUs() - server) / jobs)
      return result
    },
  }
}
