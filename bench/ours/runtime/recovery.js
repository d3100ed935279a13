// From kill -9 of a worker process to the moment the last of its jobs has begun in another. Killed right after a renewal of its lease,
// which is the worst moment: the whole lease has to run out.
import { setTimeout as wait } from 'node:timers/promises'
import { noop, withApp } from './app.js'
import { startFullWorker, startWorker } from './other-process.js'
import { sharedMs } from './shared-clock.js'

const LOOK_MS = 5

export function recovery(plan, { jobs, leaseMs }) {
  const job = noop()
  return withApp(plan, [job], async (app) => {
    const options = { url: plan.url, concurrency: jobs, leaseMs }
    const { worker: victim } = await startFullWorker(app, job, options)
    const heir = await startWorker({ ...options, holds: false })
    await renewed(app.store, victim.pid)
    const killedAt = sharedMs()
    await victim.kill()
    await heir.until(() => heir.began.size === jobs)
    const ms = Math.max(...heir.began.values()) - killedAt
    await heir.stop()
    return { jobs, ms, leaseMs, rate: (leaseMs + 1_000) / ms }
  })
}

/** Resolves when the lease of this process has just been renewed. */
async function renewed({ database }, pid) {
  const heartbeatAt = async () => {
    const [row] = await database.query(
      `select l.heartbeat_at::text as at from holdfast.lease l join holdfast.worker w on w.id = l.worker_id where w.name like $1`,
      [`%:${pid}:%`],
    )
    return row.at
  }
  const before = await heartbeatAt()
  while ((await heartbeatAt()) === before) await wait(LOOK_MS)
}
