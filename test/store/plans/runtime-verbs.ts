/** What workers and their managers ask beside claims and finishes, again and again. */
import type { Backlog } from '../../support/backlog.js'
import type { Call } from '../../support/plans.js'

const BEAT = `select holdfast.worker_heartbeat('w7', 'host', 1, '1', '{work}', '{flat}', 'default', 10, 3, 0, false)`
const UNPARK = `select holdfast.unpark(array[$1::int], '{work}')`

const depth =
  (most: number) =>
  ({ queue }: Backlog): Call => ({
    text: 'select holdfast.depth($1::int[], $2)',
    values: [[queue.flat, queue.levels], most],
  })

/** Jobs that came back are parked instead. */
const parkReturned = ({ id, queue }: Backlog, size: number) => `with gone as (
    delete from holdfast.ready where queue_id = ${queue.returned} and level = 0 and job_id between ${id('returned', 1)} and ${id('returned', size)}
    returning *)
  insert into holdfast.held (job_id, queue_id, attempt, interruptions, priority, failures, losses, keyed, state, since, kind)
  select job_id, queue_id, attempt, interruptions, priority, failures, losses, keyed, 'parked', '2020-01-02', 'work' from gone`

export const RUNTIME_VERBS = [
  { name: 'depth up to 10', on: depth(10), most: 50 },
  // Where vacuum has not been, the row is looked at, too.
  { name: 'depth up to 1000', on: depth(1_000), most: 1_200, batch: true as const },
  {
    name: 'unpark none',
    on: ({ queue }: Backlog) => ({ text: UNPARK, values: [queue.lanes] }),
    most: 50,
  },
  {
    name: 'unpark none among a thousand of other kinds',
    on: (backlog: Backlog) => ({
      text: `select holdfast.unpark(array[$1::int], '{other, kinds}')`,
      values: [backlog.queue.returned],
      before: parkReturned(backlog, 1_000),
    }),
    most: 50,
  },
  {
    name: 'unpark 100',
    on: (backlog: Backlog) => ({
      text: UNPARK,
      values: [backlog.queue.returned],
      before: parkReturned(backlog, 100),
    }),
    most: 2_500,
    batch: true as const,
  },
  {
    // Twenty jobs of each of 101 levels, a thousand entries of each deep queue, and the running ones once.
    name: 'an evaluation of the alerts',
    on: () => ({
      text: 'select holdfast.check_alerts()',
      before: `update holdfast.alert_tick set next_at = '-infinity'`,
    }),
    most: 25_000,
  },
  { name: 'a sign of life', on: () => ({ text: BEAT }), most: 40 },
  { name: 'a sign of life with nothing new', on: () => ({ text: BEAT, before: BEAT }), most: 20 },
  {
    name: 'complete 1 in a transaction',
    on: ({ id, count }: Backlog) => {
      const i = count('behind') + 1
      return { text: 'select holdfast.complete($1, 1, $2)', values: [id('running', i), 1 + (i % 100)] }
    },
    most: 150,
  },
  {
    name: 'wake one queue',
    on: ({ queue }: Backlog) => ({ text: 'select holdfast.wake(array[$1::int])', values: [queue.flat] }),
    most: 20,
  },
]
