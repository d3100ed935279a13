/** A test that cannot fail proves nothing: each of these mistakes, made in the SQL on purpose, must be found by the model. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { pinnedStore } from '../support/world.js'
import { Coverage } from './coverage.js'
import { createQueues, findDisagreement } from './sequences.js'

interface Mutant {
  readonly mistake: string
  readonly file: string
  readonly from: string
  readonly to: string
}

const MUTANTS: readonly Mutant[] = [
  {
    mistake: 'a claim does not raise the attempt',
    file: 'internal/claim_from',
    from: 't.attempt + 1, t.interruptions, p_worker_id',
    to: 't.attempt, t.interruptions, p_worker_id',
  },
  {
    mistake: 'a claim ignores priority',
    file: 'internal/claim_from',
    from: 'order by x.level, x.job_id limit p_per_queue for update skip locked) a',
    to: 'order by x.job_id limit p_per_queue for update skip locked) a',
  },
  {
    mistake: 'a claim takes from a paused queue',
    file: 'internal/claim_from',
    from: ' and q.paused_at is null',
    to: '',
  },
  {
    mistake: 'a job has one retry too many',
    file: 'internal/end_attempts',
    from: 'g.failures < coalesce(',
    to: 'g.failures <= coalesce(',
  },
  {
    mistake: 'a job may kill one worker too many',
    file: 'internal/end_attempts',
    from: 'g.losses + 1 < coalesce(',
    to: 'g.losses + 1 <= coalesce(',
  },
  {
    mistake: 'a request to cancel is forgotten',
    file: 'internal/end_attempts',
    from: "g.cancel_requested and g.outcome <> 'succeeded'",
    to: 'false',
  },
  {
    mistake: 'any lease may finish the job',
    file: 'internal/end_attempts',
    from: 'r.attempt = i.attempt and r.lease = i.lease',
    to: 'r.attempt = i.attempt',
  },
  {
    mistake: 'the first retry waits twice as long',
    file: 'internal/end_attempts',
    from: 'holdfast.backoff_ms(g.failures,',
    to: 'holdfast.backoff_ms(g.failures + 1,',
  },
  {
    mistake: 'a target goes on with the oldest job instead of the next in line',
    file: 'internal/settle_lanes',
    from: 'order by h.ord limit 1',
    to: 'order by h.job_id limit 1',
  },
  {
    mistake: 'a lease counts for a moment after it ran out',
    file: 'internal/hold_lease',
    from: 'l.expires_at > holdfast.now()',
    to: 'l.expires_at >= holdfast.now()',
  },
  {
    mistake: 'a resumed job keeps its failures',
    file: 'verbs/resume',
    from: 'v_live.failures := 0;',
    to: '',
  },
  {
    mistake: 'duplicate items count as results',
    file: 'verbs/report',
    from: 'p.result_count + excluded.result_count',
    to: 'p.result_count + excluded.progress_count',
  },
]

/** Fixed, so that this fails only over a change. Seeds 3, 7, 11 and 12 find them all; not every seed must, in so few sequences. */
const SEED = Number(process.env.HOLDFAST_MODEL_SEED ?? 3)

describe('the model finds the mistake', () => {
  it.each(MUTANTS)('$mistake', { timeout: 180_000 }, async ({ file, from, to }) => {
    const right = readFileSync(new URL(`../../sql/${file}.sql`, import.meta.url), 'utf8')
    expect(right.split(from).length, `"${from}" stands once in ${file}.sql`).toBe(2)
    const world = await pinnedStore()
    await createQueues(world)
    await world.database.script(right.replace(from, to))
    const runs = { seed: SEED, sequences: 60, commands: 140, endOnFailure: true }
    expect(await findDisagreement(world, new Coverage(), runs)).not.toBeNull()
  })
})
