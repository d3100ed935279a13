/** What happens on the forum's side and the operator's, one after the other. Each step waits for a fact, never for a time. */
import type { App } from 'holdfast'
import type { Print } from '../support/print.js'
import { until } from '../support/until.js'
import type { AdminApi, CrawlJob } from './admin.js'
import { idOf, KNOWN, nameOf } from './communities.js'
import { crawl, PRIORITY, QUEUE } from './crawl.js'
import type { Forum } from './forum.js'
import type { Tables } from './tables.js'

export interface Tour {
  readonly app: App
  readonly admin: AdminApi
  readonly forum: Forum
  readonly tables: Tables
  readonly print: Print
  readonly signal: AbortSignal
}

const SCHEDULES = [
  { name: 'often-postgres', subreddit: 'postgres', cron_expression: '@every 2s', priority: 30 },
  { name: 'often-astronomy', subreddit: 'astronomy', cron_expression: '@every 3s', priority: 10 },
]
const REQUESTED = { jazz: 70, chess: PRIORITY.user }
const BOOSTED = { subreddit: 'hiking', boost: 20 }
const RAISED = { subreddit: 'vinyl', priority: 50 }
/** After so long it is due again. */
const STALE_AFTER_MS = 500
const GROWN = { subreddit: 'coffee', finds: 'espresso' }

export async function runTour(tour: Tour): Promise<void> {
  await tour.app.queues.pause(QUEUE, { reason: 'the backlog is put together first' })
  await seed(tour)
  await schedule(tour)
  await ask(tour)
  await operate(tour)
  await age(tour)
  await tour.app.queues.resume(QUEUE)
  tour.print('queue', 'resumed')
  await retryFailed(tour)
  await crawlStale(tour)
  await comeToRest(tour)
}

/** A community and its first crawl are made together, or neither. */
async function seed({ app, tables, print }: Tour): Promise<void> {
  await app.store.database.transaction(async (tx) => {
    for (const name of KNOWN) {
      const id = idOf(name)
      await tables.discover(tx, [{ id, name }])
      await app.enqueue(
        crawl,
        { subreddit_id: id },
        { tx, subject: String(id), priority: PRIORITY.discovery },
      )
    }
  })
  print('discovery', `${KNOWN.length} communities to begin with, at priority ${PRIORITY.discovery}`)
}

async function schedule({ admin, print }: Tour): Promise<void> {
  const existing = new Map((await admin.schedules()).map((each) => [each.name, each]))
  for (const { name, subreddit, cron_expression, priority } of SCHEDULES) {
    const found = existing.get(name)
    const description = `r/${subreddit} changes often`
    if (found !== undefined) await admin.toggle(found.id, true)
    else await admin.schedule({ name, description, subreddit_id: idOf(subreddit), cron_expression, priority })
    print('schedule', `r/${subreddit} ${cron_expression}, at priority ${priority}`)
  }
}

async function ask({ app, admin, tables, print }: Tour): Promise<void> {
  for (const [name, priority] of Object.entries(REQUESTED)) {
    const id = idOf(name)
    await tables.discover(app.store.database, [{ id, name }])
    await admin.request({ subject: String(id), input: { subreddit_id: id }, priority })
    print('user', `asks for r/${name}, at priority ${priority}`)
  }
}

async function operate({ admin, print, signal }: Tour): Promise<void> {
  const boosted = await queued(admin, BOOSTED.subreddit, signal)
  const { priority } = await admin.boost(boosted.id, BOOSTED.boost)
  print('operator', `boosts r/${BOOSTED.subreddit} by ${BOOSTED.boost} to priority ${priority}`)
  await admin.setPriority((await queued(admin, RAISED.subreddit, signal)).id, RAISED.priority)
  print('operator', `sets r/${RAISED.subreddit} to priority ${RAISED.priority}`)
}

/** A crawl of a run that is continued may have to come back first from a worker that is gone. */
function queued(admin: AdminApi, name: string, signal: AbortSignal): Promise<CrawlJob> {
  return until(
    async () => (await admin.jobs('queued')).find((each) => each.subreddit_id === idOf(name)),
    signal,
  )
}

/** Long waiting raises a priority: a crawl that was found by chance comes before a scheduled one in the end. */
async function age({ admin, print, signal }: Tour): Promise<void> {
  const jobs = await until(async () => {
    const waiting = await admin.jobs('queued')
    return waiting.every(({ priority }) => priority > PRIORITY.discovery) && waiting
  }, signal)
  const order = jobs.sort((a, b) => b.priority - a.priority || a.id - b.id)
  const shown = order.map(({ subreddit_id, priority }) => `${nameOf(subreddit_id)} ${priority}`)
  print('aging', `all ${jobs.length} have waited long enough to gain 10 or more`, 'strong')
  print('queue', `${shown.slice(0, 5).join(', ')} …`)
}

async function retryFailed({ app, admin, forum, tables, print, signal }: Tour): Promise<void> {
  const failed = await until(async () => {
    const jobs = await admin.jobs('failed')
    // In a run that is continued it may have been repaired already.
    return (jobs.length > 0 || (await tables.uncrawled(app.store.database)) === 0) && jobs
  }, signal)
  forum.repair()
  if (failed.length === 0) return
  const names = failed.map(({ subreddit_id }) => `r/${nameOf(subreddit_id)}`).join(', ')
  print('operator', `${names} failed; the forum repairs it, and it is retried`, 'bad')
  await admin.bulkRetry(failed.map(({ id }) => id))
}

/** What was crawled long ago is due again: only so the newest community can be found. */
async function crawlStale({ app, forum, tables, print, signal }: Tour): Promise<void> {
  const session = app.store.database
  await until(async () => (await tables.uncrawled(session)) === 0, signal)
  print('discovery', 'every community that is known was crawled', 'good')
  forum.grow()
  const id = idOf(GROWN.subreddit)
  const due = await app.subjects.add({
    queue: QUEUE,
    name: String(id),
    kind: crawl.kind,
    input: { subreddit_id: id },
    staleAfterMs: STALE_AFTER_MS,
  })
  print('stale', `r/${GROWN.subreddit} is due again after ${STALE_AFTER_MS} ms`)
  await until(async () => (await tables.crawlsOf(session, idOf(GROWN.finds))) > 0, signal)
  print('stale', `its second crawl has found r/${GROWN.finds}`, 'good')
  await app.subjects.set(due, { enabled: false })
}

async function comeToRest({ admin, print, signal }: Tour): Promise<void> {
  const schedules = await until(async () => {
    const all = await admin.schedules()
    return all.every(({ last_run_at }) => last_run_at !== null) && all
  }, signal)
  for (const { id } of schedules) await admin.toggle(id, false)
  const stats = await until(async () => {
    const now = await admin.stats()
    return now.queued === 0 && now.running === 0 && now
  }, signal)
  print('admin', `${stats.completed} crawls completed, ${stats.failed} failed`)
}
