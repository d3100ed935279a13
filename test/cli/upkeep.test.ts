// `holdfast upkeep`, `subjects` and `stats`, on a database and through a server.
import type { Store } from 'holdfast/store'
import { expect, it, onTestFinished } from 'vitest'
import { ChoreRunner } from '../../src/app/chores/chore-runner.js'
import { serverOn } from '../server/world.js'
import { freshStore, postgresUrl } from '../support/world.js'
import { holdfast } from './run-holdfast.js'

/** The same commands on each of the two. */
async function places(store: Store): Promise<string[][]> {
  const { app } = serverOn(store, { chores: new ChoreRunner(store) })
  onTestFinished(() => app.close())
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as { port: number }
  return [
    ['--url', postgresUrl(), '--schema', store.schema],
    ['--server', `http://127.0.0.1:${port}`],
  ]
}

async function said(args: string[]): Promise<string> {
  const { code, stdout, stderr } = await holdfast(args)
  expect({ code, stderr }, args.join(' ')).toEqual({ code: 0, stderr: '' })
  return stdout
}
const json = async (args: string[]) => JSON.parse(await said([...args, '--json']))

it('upkeep shows every chore and does one now', async () => {
  const store = await freshStore()
  const where = await places(store)
  for (const place of where) {
    expect(await said(['upkeep', 'run', 'prune', ...place])).toMatch(/^prune: nothing to do, in \d/)
    const { chores } = await json(['upkeep', ...place])
    expect(chores.find(({ name }: { name: string }) => name === 'prune')).toMatchObject({
      rows: 0,
      error: null,
    })
  }
  const [database = []] = where
  expect(await said(['upkeep', ...database])).toMatch(/promote +1\.0 s/)
  const wrong = await holdfast(['upkeep', 'run', 'prun', ...database])
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('Did you mean "prune"?') })
})

it('subjects are added, changed, listed and removed', async () => {
  const store = await freshStore()
  await store.queues.create('crawls', { preset: 'crawl' })
  const [database = [], server = []] = await places(store)
  expect(await said(['subjects', 'list', ...database])).toContain('No subjects yet')
  const kind = ['--kind', 'crawl', '--input', '{"pages":3}', '--priority', '20']
  for (const where of [database, server]) {
    await said(['subjects', 'add', 'crawls', 'r/rust', ...kind, ...where])
    const changed = await said(['subjects', 'set', 'crawls', 'r/rust', '--stale-after', '7', ...where])
    expect(changed).toContain('after 7 d')
    const { subjects } = await json(['subjects', 'list', '--queue', 'crawls', ...where])
    expect(subjects).toMatchObject([
      { name: 'r/rust', kind: 'crawl', input: { pages: 3 }, priority: 20, staleAfterMs: 7 * 86_400_000 },
    ])
    const again = await said(['subjects', 'set', 'crawls', 'r/rust', '--stale-after', 'default', ...where])
    expect(again).toContain('after STALE_DAYS')
    const [known] = (await json(['subjects', 'list', ...where])).subjects
    expect(known).toMatchObject({ name: 'r/rust', staleAfterMs: null })
    await said(['subjects', 'remove', 'crawls', 'r/rust', ...where])
  }
  const gone = await holdfast(['subjects', 'remove', 'crawls', 'r/rust', ...server])
  expect(gone).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no subject') })
  const nothing = await holdfast(['subjects', 'set', 'crawls', 'r/rust', ...database])
  expect(nothing).toMatchObject({ code: 2, stderr: expect.stringContaining('Nothing to change') })
})

it('stats shows how queues are doing', async () => {
  const store = await freshStore()
  const where = await places(store)
  expect(await said(['stats', ...(where[0] ?? [])])).toContain('No queues yet')
  await store.enqueueMany([50, 50, 0].map((priority) => ({ queue: 'mail', kind: 'k', priority })))
  const [job] = await store.work.claim({ worker: 'w', queues: ['mail'] })
  await store.work.finish([{ ...(job as NonNullable<typeof job>), outcome: 'succeeded' }])
  await store.upkeep.countMinutes()
  for (const place of where) {
    expect(await said(['stats', '--window', '15m', ...place])).toMatch(/mail +2 +3 +1 +1 +· +0\.0 % +·/)
    const { queues } = await json(['stats', ...place])
    expect(queues).toMatchObject([
      { queue: 'mail', depth: 2, windows: { '24h': { enqueued: 3, succeeded: 1 } } },
    ])
  }
})
