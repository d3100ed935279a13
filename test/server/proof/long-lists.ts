/** Lists that are far longer than what a server may hold at once, filled by SQL and read to their end over HTTP. */
import type { Store } from 'holdfast/store'

const PATIENTLY = { deadlineMs: 3_600_000 }

/** Half of the jobs wait, half have succeeded; the items belong to one of them. */
export async function fillLists(
  store: Store,
  { jobs, items }: { jobs: number; items: number },
): Promise<void> {
  const { database } = store
  const queue = await store.queues.create('long')
  await store.work.openLease('filler', 60_000)
  const [{ first = 0 } = {}] = await database.query<{ first: number }>(
    "select nextval('holdfast.job_id_seq')::int as first",
  )
  await database.query("select setval('holdfast.job_id_seq', $1)", [first + jobs])
  await store.upkeep.makePartitions()
  const run = (text: string, values: unknown[]) => database.query(text, values, PATIENTLY)
  await run(
    `insert into holdfast.job (id, created_at, queue_id, initial_priority, kind, input)
     select $1::bigint + n, holdfast.now(), $2::int, 0, 'work', jsonb_build_object('n', n) from generate_series(1, $3::int) n`,
    [first, queue, jobs],
  )
  await run(
    `insert into holdfast.ready (job_id, queue_id, attempt, interruptions, priority, failures, losses, keyed, level)
     select $1::bigint + n, $2::int, 0, 0, 0, 0, 0, false, 100 from generate_series(1, $3::int, 2) n`,
    [first, queue, jobs],
  )
  await run(
    `insert into holdfast.attempt (job_id, lease, claimed_at, started_at, finished_at, attempt, queue_id, worker_id, outcome, moved_to, priority,
       failures, final)
     select $1::bigint + n, 1, holdfast.now(), holdfast.now(), holdfast.now(), 1, $2::int, 1, 'succeeded', 'succeeded', 0, 0, true
     from generate_series(2, $3::int, 2) n`,
    [first, queue, jobs],
  )
  await run(
    `insert into holdfast.item (job_id, created_at, queue_id, attempt, collection, key, data)
     select $1::bigint + 2, holdfast.now(), $2::int, 1, 'long', 'item ' || n,
       jsonb_build_object('id', n, 'name', 'item ' || n, 'text', repeat('x', 100), 'tags', jsonb_build_array('a', 'b'))
     from generate_series(1, $3::int) n`,
    [first, queue, items],
  )
  await database.script('vacuum analyze', PATIENTLY)
}

/** How many items came; each line of either format has one. */
export async function exportAll(url: string, key: string, format: 'json' | 'csv'): Promise<number> {
  const answer = await fetch(`${url}/api/v1/items/export?queue=long&format=${format}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  if (!answer.ok || answer.body === null) throw new Error(`the export answered ${answer.status}`)
  let lines = 0
  for await (const piece of answer.body as unknown as AsyncIterable<Uint8Array>)
    for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) lines += 1
  // The brackets of the list have lines of their own, so has the head of the table.
  return format === 'json' ? lines - 2 : lines - 1
}

/** How many jobs came, page by page. */
export async function listAll(url: string, key: string, pageSize = 500): Promise<number> {
  let count = 0
  for (let token: string | null = ''; token !== null; ) {
    const after: string = token === '' ? '' : `&page_token=${encodeURIComponent(token)}`
    const answer = await fetch(`${url}/api/v1/jobs?queue=long&page_size=${pageSize}${after}`, {
      headers: { authorization: `Bearer ${key}` },
    })
    if (!answer.ok) throw new Error(`the list answered ${answer.status}`)
    const page = (await answer.json()) as { jobs: unknown[]; next_page_token: string | null }
    count += page.jobs.length
    token = page.next_page_token
  }
  return count
}
