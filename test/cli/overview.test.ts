// `holdfast overview` and `errors`, on a database and through a server.
import type { ClaimedJob } from 'holdfast/store'
import { expect, it, onTestFinished } from 'vitest'
import { ChoreRunner } from '../../src/app/chores/chore-runner.js'
import { serverOn } from '../server/world.js'
import { freshStore, postgresUrl } from '../support/world.js'
import { holdfast } from './run-holdfast.js'

it('overview and errors show sentences, the command that helps, and JSON', async () => {
  const store = await freshStore()
  const { app } = serverOn(store, { chores: new ChoreRunner(store) })
  onTestFinished(() => app.close())
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as { port: number }
  const where = [
    ['--url', postgresUrl(), '--schema', store.schema],
    ['--server', `http://127.0.0.1:${port}`],
  ]
  const said = async (args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await holdfast(args)
    expect({ code, stderr }, args.join(' ')).toEqual({ code: 0, stderr: '' })
    return stdout
  }
  const [database = []] = where
  expect(await said(['overview', ...database])).toContain('Everything is moving: nothing needs you.')
  expect(await said(['errors', ...database])).toContain('No errors.')

  await store.queues.create('sync', { preset: 'target' })
  await store.enqueue({ queue: 'sync', kind: 'pull', target: 'customer:1' })
  const [job] = (await store.work.claim({ worker: 'w', queues: ['sync'] })) as [ClaimedJob]
  await store.work.finish([{ ...job, outcome: 'failed', error: new Error('token limit exceeded') }])
  await store.upkeep.countMinutes()
  for (const place of where) {
    const text = await said(['overview', ...place])
    expect(text).toMatch(/^2 things need you\./)
    expect(text).toContain(`Target customer:1 is blocked by job ${job.jobId}`)
    expect(text).toContain(`holdfast jobs resume ${job.jobId}`)
    expect(text).toContain('No process does upkeep for this database.')
    const { problems } = JSON.parse(await said(['overview', '--json', ...place]))
    expect(problems).toMatchObject([
      { type: 'blocked_target', severity: 'critical' },
      { type: 'stuck_upkeep' },
    ])

    expect(await said(['errors', ...place])).toMatch(/pull +token limit exceeded/)
    const { groups } = JSON.parse(await said(['errors', 'list', '--json', ...place]))
    expect(groups).toMatchObject([
      { message: 'token limit exceeded', count: 1, count24h: 1, kinds: ['pull'] },
    ])
    const one = ['errors', 'show', groups[0].fingerprint, ...place]
    expect(await said(one)).toMatch(/^Error: token limit exceeded\n1 attempts, 1 in the last 24 hours/)
    expect(JSON.parse(await said([...one, '--json'])).samples).toMatchObject([{ jobId: job.jobId }])
  }
  const none = await holdfast(['errors', 'show', 'none', ...database])
  expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no group of errors') })
})
