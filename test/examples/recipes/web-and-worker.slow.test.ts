// The recipe web-and-worker: SIGTERM while one request is under way and one job runs.
import { expect, it, vi } from 'vitest'
import { blockWith, recipeDatabase, startRecipe } from './recipe.js'

/** Inserts of orders wait for the advisory lock 1, and updates, which is how a job ships an order, for 2. */
const HOLD = `
  create function hold() returns trigger language plpgsql as $$
  begin perform pg_advisory_xact_lock(tg_argv[0]::int); return new; end $$;
  create trigger hold_insert before insert on orders for each row execute function hold(1);
  create trigger hold_update before update on orders for each row execute function hold(2)`

const isRefused = (url: string) =>
  fetch(url).then(
    () => false,
    ({ cause }: { cause?: { code?: string } }) => cause?.code === 'ECONNREFUSED',
  )

it('SIGTERM: new requests are refused, the request under way is answered, the running job ends, exit 0', async () => {
  const database = await recipeDatabase()
  const recipe = startRecipe('web-and-worker', database, [], { PORT: '0' })
  const [url] = await recipe.shows(/^http:\/\/\S+$/)
  await database.store.database.script(HOLD)
  const order = (item: string) => fetch(`${url}/orders/${item}`, { method: 'POST' })

  const shipping = await blockWith(database, 'select pg_advisory_xact_lock(2)')
  const first = await order('kettle')
  expect(first.status).toBe(202)
  const { job } = (await first.json()) as { job: number }
  await shipping.reached()
  const ordering = await blockWith(database, 'select pg_advisory_xact_lock(1)')
  const underWay = order('teapot')
  await ordering.reached()

  recipe.child.kill('SIGTERM')
  recipe.child.kill('SIGINT')
  await vi.waitFor(async () => expect(await isRefused(url)).toBe(true), { timeout: 100_000 })
  await ordering.release()
  const second = await underWay
  expect(second.status).toBe(202)
  expect(recipe.child.exitCode, 'it waits for the job').toBe(null)
  await shipping.release()

  expect(await recipe.ended).toBe(0)
  expect(recipe.lines.at(-1)).toBe('stopped')
  expect(await database.store.read.job(job)).toMatchObject({ state: 'succeeded' })
  expect(await database.rows('select item, shipped_by from orders where id = 1')).toEqual([
    { item: 'kettle', shipped_by: job },
  ])
  // The other order came while it stopped: shipped too, or left for the next process, and never lost.
  const { state } = await database.store.read.job(((await second.json()) as { job: number }).job)
  expect(['succeeded', 'queued']).toContain(state)
})

it('answers 404 to what is no order, and makes no job', async () => {
  const database = await recipeDatabase()
  const recipe = startRecipe('web-and-worker', database, [], { PORT: '0' })
  const [url] = await recipe.shows(/^http:\/\/\S+$/)
  expect((await fetch(`${url}/orders/kettle`)).status).toBe(404)
  expect((await fetch(`${url}/`, { method: 'POST' })).status).toBe(404)
  expect(await recipe.interrupt()).toBe(0)
  expect(await database.rows('select id from holdfast.jobs')).toEqual([])
})
