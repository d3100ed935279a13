/** A test that cannot fail proves nothing: each of these mistakes, made in the SQL on purpose, must be found by the model. */

import { describe, expect, it } from 'vitest'
import { changed, withPins } from '../support/sql.js'
import { pinnedStore } from '../support/world.js'
import { Coverage } from './coverage.js'
import { createQueues, findDisagreement } from './sequences.js'

interface Mutant {
  readonly mistake: string
  readonly name: string
  readonly from: string
  readonly to: string
}

const MUTANTS: readonly Mutant[] = [
  {
    mistake: 'a claim does not raise the attempt',
    name: 'claim_from',
    from: 't.queue_id, t.attempt + 1,',
    to: 't.queue_id, t.attempt,',
  },
  {
    mistake: 'a claim ignores priority',
    name: 'claim_from',
    from: 'order by x.level, x.job_id limit p_per_queue for update skip locked) a',
    to: 'order by x.job_id limit p_per_queue for update skip locked) a',
  },
  {
    mistake: 'a claim takes from a paused queue',
    name: 'claim_from',
    from: ' and q.paused_at is null',
    to: '',
  },
  {
    mistake: 'a job has one retry too many',
    name: 'next_state',
    from: "'failed' and p_failures < p_max_retries",
    to: "'failed' and p_failures <= p_max_retries",
  },
  {
    mistake: 'a lost lease is no attempt where it counts as one',
    name: 'end_attempts',
    from: "and q.on_lease_lost = 'count' then 1 else 0",
    to: "and q.on_lease_lost = 'count' then 0 else 0",
  },
  {
    mistake: 'a job may kill one worker too many',
    name: 'next_state',
    from: 'p_losses + 1 < coalesce(',
    to: 'p_losses + 1 <= coalesce(',
  },
  {
    mistake: 'a request to cancel is forgotten',
    name: 'end_attempts',
    from: 'next_state(g.outcome, g.cancel_requested,',
    to: 'next_state(g.outcome, false,',
  },
  {
    mistake: 'any lease may finish the job',
    name: 'end_attempts',
    from: 'r.attempt = i.attempt and r.lease = i.lease',
    to: 'r.attempt = i.attempt',
  },
  {
    mistake: 'the first retry waits twice as long',
    name: 'end_attempts',
    from: 'holdfast.backoff_ms(g.failures,',
    to: 'holdfast.backoff_ms(g.failures + 1,',
  },
  {
    mistake: 'a target goes on with the oldest job instead of the next in line',
    name: 'settle_lanes',
    from: 'order by h.ord limit 1',
    to: 'order by h.job_id limit 1',
  },
  {
    mistake: 'a lease counts for a moment after it ran out',
    name: 'hold_lease',
    from: 'l.expires_at > holdfast.now()',
    to: 'l.expires_at >= holdfast.now()',
  },
  {
    mistake: 'a resumed job keeps its failures',
    name: 'resume',
    from: 'v_live.failures := 0;',
    to: '',
  },
  {
    mistake: 'duplicate items count as results',
    name: 'report',
    from: 'p.result_count + excluded.result_count',
    to: 'p.result_count + excluded.progress_count',
  },
]

/** Fixed, so that this fails only over a change. Seeds 3, 7, 11 and 12 find them all; not every seed must, in so few sequences. */
const SEED = Number(process.env.HOLDFAST_MODEL_SEED ?? 3)

describe('the model finds the mistake', () => {
  it.each(MUTANTS)('$mistake', async ({ name, from, to }) => {
    const world = await pinnedStore()
    await createQueues(world)
    await world.database.script(withPins(changed(name, from, to)))
    const runs = { seed: SEED, sequences: 60, commands: 140, endOnFailure: true }
    expect(await findDisagreement(world, new Coverage(), runs)).not.toBeNull()
  })
})
