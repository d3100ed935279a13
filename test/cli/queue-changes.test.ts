// Queues from the command line: created, changed, renamed and removed, at the database and through a server.
import { expect, it } from 'vitest'
import { serve } from '../support/http.js'
import { freshStore, postgresUrl } from '../support/world.js'
import { holdfast } from './run-holdfast.js'

async function ways() {
  const store = await freshStore()
  const { url } = await serve(store)
  return {
    store,
    ways: [
      ['--url', postgresUrl(), '--schema', store.schema],
      ['--server', url],
    ] as const,
  }
}

it('a queue is created, changed, renamed and removed', async () => {
  const { store, ways: both } = await ways()
  for (const [n, way] of both.entries()) {
    const run = async (...args: string[]) => {
      const ran = await holdfast(['queues', ...args, ...way])
      expect(ran).toMatchObject({ code: 0, stderr: '' })
      return ran.stdout
    }
    const name = `mail-${n}`
    expect(await run('create', name, '--preset', 'catalog')).toBe(
      `Queue ${name} is created with the preset catalog.\n`,
    )
    expect(await run('update', name, '--policy', '{"maxRetries":2}', '--reason', 'slow')).toContain('changed')
    expect(await store.queues.get(name)).toMatchObject({ preset: 'catalog', maxRetries: 2 })
    expect(JSON.parse(await run('update', name, '--preset', 'harvest', '--json')).queue).toMatchObject({
      name,
      preset: 'harvest',
      maxRetries: null,
    })
    expect(await run('rename', name, `letters-${n}`)).toContain(`Queue ${name} is now letters-${n}`)
    expect(JSON.parse(await run('remove', `letters-${n}`, '--json'))).toEqual({
      queue: `letters-${n}`,
      removed: true,
    })
  }
  expect(await store.queues.list()).toEqual([])
})

it('what cannot be done is refused with the reason and the remedy', async () => {
  const { store, ways: both } = await ways()
  await store.enqueue({ queue: 'mail', kind: 'k' })
  await store.enqueue({ queue: 'busy', kind: 'k' })
  await store.work.claim({ worker: 'w', queues: ['busy'] })
  for (const way of both) {
    const refused = async (...args: string[]) => {
      const { code, stderr } = await holdfast(['queues', ...args, ...way])
      expect(code).not.toBe(0)
      return stderr
    }
    expect(await refused('remove', 'mail')).toContain(
      'The queue mail has jobs that have not ended: 1 queued.',
    )
    expect(await refused('update', 'busy', '--preset', 'harvest')).toContain('cancel them')
    expect(await refused('update', 'mail')).toContain('Give --preset, --policy or both.')
    expect(await refused('update', 'mail', '--policy', '{')).toContain('must be JSON')
    expect(await refused('update', 'mail', '--policy', '{"maxRetry":1}')).toMatch(
      /Did you mean "max_?[rR]etries"/,
    )
    expect(await refused('create', 'x', '--preset', 'harvst')).toContain('Did you mean "harvest"?')
    expect(await refused('create', 'mail')).toContain('exists already')
    expect(await refused('rename', 'nowhere', 'x')).toContain('There is no queue "nowhere"')
  }
})

it('the first job makes its queue with the preset that is named', async () => {
  const { store, ways: both } = await ways()
  for (const [n, way] of both.entries()) {
    const enqueued = await holdfast(['enqueue', `leads-${n}`, 'scrape', '--preset', 'harvest', ...way])
    expect(enqueued.code).toBe(0)
    expect((await store.queues.get(`leads-${n}`)).preset).toBe('harvest')
    const other = await holdfast(['enqueue', `leads-${n}`, 'scrape', '--preset', 'crawl', ...way])
    expect(other.stderr).toContain('has the preset harvest, not crawl')
  }
})
