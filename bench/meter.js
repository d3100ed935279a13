// What a sample cost the server, per job: WAL bytes, commits, CPU of all its processes, buffers touched by its clients.
// Backends hand in their counters when they leave, so a sample's process has to have ended before the second reading.
import { readdirSync, readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100

export async function readMeter(server, database) {
  await untilAlone(server, database)
  const [row] = await server.query(
    `select pg_current_wal_insert_lsn() - '0/0' as wal,
       (select xact_commit from pg_stat_database where datname = $1) as commits,
       (select sum(hits + reads) from pg_stat_io where backend_type = 'client backend' and object = 'relation') as buffers`,
    [database.name],
  )
  return {
    wal: Number(row.wal),
    commits: Number(row.commits),
    buffers: Number(row.buffers),
    ticks: ticksOf(server.pid),
  }
}

export function costPerJob(before, after, jobs) {
  return {
    walBytes: (after.wal - before.wal) / jobs,
    commits: (after.commits - before.commits) / jobs,
    cpuUs: before.ticks === null ? null : ((after.ticks - before.ticks) * 1e6) / TICKS_PER_SECOND / jobs,
    buffers: (after.buffers - before.buffers) / jobs,
  }
}

async function untilAlone(server, { name }) {
  const question = `select count(*)::int as n from pg_stat_activity where datname = $1 and backend_type = 'client backend'
    and application_name <> 'bench-pin'`
  while ((await server.query(question, [name]))[0].n > 0)
    await new Promise((resolve) => setTimeout(resolve, 10))
}

/** User and system time of one process so far. */
export function cpuSecondsOf(pid) {
  return statOf(pid).own / TICKS_PER_SECOND
}

/** User and system time of the postmaster, its living children, and those it has buried already. */
function ticksOf(pid) {
  if (process.platform !== 'linux') return null
  const { own, buried } = statOf(pid)
  let ticks = own + buried
  for (const name of readdirSync('/proc')) {
    const child = /^\d+$/.test(name) ? statOf(name) : undefined
    if (child?.parent === pid) ticks += child.own
  }
  return ticks
}

function statOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // After the command's name, which may hold spaces and brackets: state, parent, ..., utime, stime, cutime, cstime.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return {
      parent: Number(fields[1]),
      own: Number(fields[11]) + Number(fields[12]),
      buried: Number(fields[13]) + Number(fields[14]),
    }
  } catch {
    return { parent: 0, own: 0, buried: 0 }
  }
}
