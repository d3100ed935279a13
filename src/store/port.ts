/** The engine as a worker sees it. `openPort` is for the heartbeat thread, which needs a connection of its own. */
import type { WorkPort } from '../domain/port.js'
import { HintedClaims } from './full-pass.js'
import { openStore, type Store, type StoreOptions } from './store.js'
import { Turns } from './turns.js'

/** One port a claimer: what it has learned of its queues is kept here. */
export function storePort({ work, workers, queues: known, database }: Store): WorkPort {
  const hints = new HintedClaims()
  const turns = new Turns()
  return {
    openLease: (worker, leaseMs) => work.openLease(worker, leaseMs),
    claim: (ask) => work.claim({ ...ask, hints, turns }),
    start: (fences) => work.start(fences),
    renew: (leases, options) => work.renew(leases, options),
    report: (report) => work.report(report),
    finish: (endings) => work.finish(endings),
    keep: (lease, known, olderThanMs) => work.keep(lease, known, olderThanMs),
    closeLease: (lease, reason) => work.closeLease(lease, reason),
    beat: (presence) => workers.beat(presence),
    leave: (worker) => workers.leave(worker),
    unpark: (queues, kinds, tenant) => work.unpark({ queues, kinds, ...of(tenant) }),
    depth: (queues, most, tenant) => work.depth({ queues, most, ...of(tenant) }),
    noteScale: (worker, decision) => workers.noteScale(worker, decision),
    queueName: (queueId) => known.nameOf(queueId),
    breaks: () => database.breaks?.() ?? 0,
  }
}

const of = (tenant: string | undefined) => (tenant === undefined ? {} : { tenant })

export interface OpenedPort extends WorkPort {
  close(): Promise<void>
}

/**
 * A port with connections of its own; the options pass between threads. The schema must be there. The second connection is made only
 * while the first is silent: one that is half open should not cost a beat.
 */
export async function openPort(options: StoreOptions): Promise<OpenedPort> {
  const store = await openStore({ connections: 2, ...options, notify: false })
  return { ...storePort(store), close: () => store.close() }
}
