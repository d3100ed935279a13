/** `explain` against what claims really do, over random worlds. */
import fc from 'fast-check'
import type { Session, Store } from 'holdfast/store'
import { ATTEMPT, type Live, play, type World, world } from './worlds.js'

/**
 * Whether this very job would be claimed if its turn had come: what has fallen due is brought in as a claim does it, those that compete with it
 * are put away, and its queue is claimed from. All of it is undone; the answer stays.
 */
const WOULD_CLAIM = `
create function holdfast.would_claim(p_job bigint, p_queue int) returns boolean language plpgsql as $$
declare
  v_got boolean := false;
begin
  begin
    perform holdfast.promote_due_work(1000);
    delete from holdfast.ready r where r.queue_id = p_queue and r.job_id <> p_job;
    v_got := exists (select from holdfast.claim('asker', null, array[p_queue], 100) c where c.job_id = p_job);
    raise exception using errcode = 'XUNDO';
  exception when sqlstate 'XUNDO' then null;
  end;
  return v_got;
end $$;
create function holdfast.claimed_now(p_queues int[]) returns bigint[] language plpgsql as $$
declare
  v_jobs bigint[];
begin
  begin
    v_jobs := array(select c.job_id from holdfast.claim('asker', null, p_queues, 800) c);
    raise exception using errcode = 'XUNDO';
  exception when sqlstate 'XUNDO' then null;
  end;
  return v_jobs;
end $$;`

interface Explained {
  readonly id: number
  readonly queue: number
  readonly place: string
  readonly key: string
  readonly codes: string[]
  readonly blocking: string[]
  readonly claimable: boolean
}

const EXPLAINED = `
select j.id, j.queue_id as queue, holdfast.state_of(j.id)::text as place, coalesce(j.target, j.key, '') as key, e.codes, e.blocking,
  holdfast.would_claim(j.id, j.queue_id) as claimable
from holdfast.job j cross join lateral (
  select array_agg(e.code) as codes, coalesce(array_agg(e.code) filter (where e.blocking), '{}') as blocking from holdfast.explain(j.id) e) e
order by j.id`

export interface Runs {
  readonly seed: number
  readonly worlds: number
  /** Stop at the first failure instead of looking for the shortest. */
  readonly endOnFailure?: boolean
}

export interface Compared {
  /** What went wrong, with the story of the shortest world found. */
  readonly disagreement: string | null
  /** Each place with what blocked a job there, or "free". */
  readonly seen: ReadonlySet<string>
}

/** The store has one connection, and its clock is pinned. */
export async function compare(store: Store, { seed, worlds, endOnFailure = false }: Runs): Promise<Compared> {
  await store.database.script(ATTEMPT + WOULD_CLAIM)
  const seen = new Set<string>()
  const property = fc.asyncProperty(world, (chosen) =>
    undone(store, async (session) => {
      const live = await play(session, chosen)
      try {
        const jobs = await session.query<Explained>(EXPLAINED)
        for (const job of jobs) {
          seen.add(`${job.place} ${job.blocking.join(' ') || 'free'}`)
          compareWithItsClaim(job)
        }
        await compareWithClaims(live, jobs)
      } catch (error) {
        throw new Error(`${(error as Error).message}\n${story(chosen)}`)
      }
    }),
  )
  const result = await fc.check(property, { seed, numRuns: worlds, endOnFailure, unbiased: true })
  return { seen, disagreement: result.failed ? (result.errorInstance as Error).message : null }
}

function compareWithItsClaim({ id, place, blocking, claimable }: Explained): void {
  if (claimable === (blocking.length === 0)) return
  throw new Error(
    `job ${id} is ${place}; a claim gives it: ${claimable}; what was said to keep it: ${blocking.join(', ')}`,
  )
}

/** Whole claims, of one queue and of all: never a job that was said to be kept; all that were not, where nothing counts. */
async function compareWithClaims({ session, queues }: Live, jobs: readonly Explained[]): Promise<void> {
  const free = new Set(jobs.filter(({ blocking }) => blocking.length === 0).map(({ id }) => id))
  const claimed = async (ids: number[]) => {
    const [row] = await session.query<{ jobs: number[] }>('select holdfast.claimed_now($1::int[]) as jobs', [
      ids,
    ])
    for (const id of row?.jobs ?? [])
      if (!free.has(id)) throw new Error(`a claim gave job ${id}, which was said to be kept`)
    return row?.jobs ?? []
  }
  await claimed(queues.map(({ id }) => id))
  for (const { id } of queues) {
    const got = (await claimed([id])).length
    const [facts] = await session.query<{ limited: boolean }>(
      'select limited from holdfast.queue where id = $1',
      [id],
    )
    const wanted = jobs.filter((job) => job.queue === id && free.has(job.id)).length
    if (facts?.limited ? got > 0 === wanted > 0 : got === wanted) continue
    throw new Error(`a claim of queue ${id} gave ${got} jobs, and ${wanted} were said to be free`)
  }
}

function story({ queues, tenantMax, steps }: World): string {
  return `${JSON.stringify({ queues, tenantMax })}\n${steps.map(({ told }) => told).join('\n')}`
}

/** By hand: `transaction` gives up its connection after an error, and with it the plans. */
async function undone({ database }: Store, work: (session: Session) => Promise<void>): Promise<void> {
  await database.script('begin')
  try {
    await work(database)
  } finally {
    await database.script('rollback')
  }
}
