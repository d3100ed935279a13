/** What is left of a run, and how often the things happened that make it count. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { LEASE_GIVEN_UP } from '../../src/domain/port.js'
import { type Evidence, gather } from './evidence.js'
import { readJournal } from './journal.js'
import type { Nemesis, Scene } from './nemesis.js'
import type { Operator } from './operator.js'

/** Everything there is, of a run that is over. */
export async function lookBack({ server, fleet, reader }: Scene, folder: string): Promise<Evidence> {
  const journals = (prefix: string) =>
    readdirSync(folder)
      .filter((name) => name.startsWith(prefix) && name.endsWith('.jsonl'))
      .map((name) => readJournal(join(folder, name)))
  return gather((text) => server.rows(text), {
    producers: journals('producer-'),
    workers: journals('worker-'),
    died: fleet.died,
    processes: fleet.stops,
    followed: reader,
  })
}

export function countsOf(
  { jobs, ends, producers }: Evidence,
  {
    fleet,
    server,
    http,
    operator,
    nemesis,
    wires,
    otherWires,
  }: Scene & { operator: Operator; nemesis: Nemesis },
) {
  const ended = (state: string) => [...ends.values()].filter(({ movedTo }) => movedTo === state).length
  const lines = producers.flat()
  return {
    'jobs made': jobs.size,
    acknowledged: lines.filter(({ t }) => t === 'ack').length,
    'enqueues failed': lines.filter(({ t }) => t === 'failed').length,
    succeeded: ended('succeeded'),
    failed: ended('failed'),
    canceled: ended('canceled'),
    'worker processes': fleet.spawned,
    'restarts of Postgres': server.restarts,
    'kills of the HTTP server': http.killed,
    'transaction ids given out again': nemesis.crashes.idsGivenAgain,
    'jobs an operator let go on': operator.resumed,
    'replies lost after commit': [...wires, ...otherWires].reduce((sum, { lost }) => sum + lost, 0),
  }
}

export function seenIn(
  { moves, attempts, workers, followed, renewedOverHttp }: Evidence,
  { wires, crossing }: Scene,
  nemesis: Nemesis,
) {
  const all = [...moves.values()].flat()
  const begun = workers.flat().filter((line) => line.t === 'begin')
  return {
    claims: all.filter(({ op, place }) => op === '+' && place === 'running').length,
    'expired leases': [...attempts.values()]
      .flat()
      .filter(({ outcome, reason }) => outcome === 'lost' && reason !== LEASE_GIVEN_UP).length,
    'refused stale writes': workers.flat().filter(({ t }) => t === 'refused').length,
    reconnects: wires.reduce((sum, { reconnects }) => sum + reconnects, 0),
    'handlers begun': begun.length,
    'begun over HTTP': begun.filter(({ remote }) => remote).length,
    'leases renewed over HTTP': renewedOverHttp,
    'begun at targets': begun.filter(({ queue }) => queue === 'sites').length,
    'handlers aborted': workers.flat().filter(({ t }) => t === 'aborted').length,
    'renewals of swept leases': workers.flat().filter((line) => line.t === 'renewed' && line.swept > 0)
      .length,
    'revocations of an attempt before': workers.flat().filter(({ t }) => t === 'revoked').length,
    'arrivals as the last job of a target ended': crossing.met,
    'claims while an expired lease was swept again': crossing.claimedAmidSweeps,
    'events followed': followed.seen.size,
    'crashes within 50 ms of a claim': nemesis.crashes.justAfterClaim,
    'crashes with the WAL writer frozen': nemesis.crashes.unflushed,
  }
}
