// `holdfast top` without a terminal: one frame, one snapshot, and refusals. On a database and through a server.
import type { ClaimedJob } from 'holdfast/store'
import { expect, it, onTestFinished } from 'vitest'
import { ChoreRunner } from '../../src/app/chores/chore-runner.js'
import { EVERY_SECONDS } from '../../src/cli/top/top.js'
import { serverOn } from '../server/world.js'
import { freshStore, postgresUrl } from '../support/world.js'
import { holdfast } from './run-holdfast.js'

it('prints one frame as text, and one snapshot as JSON, the same on a database and through a server', async () => {
  const store = await freshStore()
  const { app } = serverOn(store, { chores: new ChoreRunner(store) })
  onTestFinished(() => app.close())
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as { port: number }
  await store.queues.create('sync', { preset: 'target' })
  await store.enqueue({ queue: 'sync', kind: 'pull', target: 'customer:1' })
  const [job] = (await store.work.claim({ worker: 'w', queues: ['sync'] })) as [ClaimedJob]
  const error = new Error('token \x1b[2J limit exceeded')
  await store.work.finish([{ ...job, outcome: 'failed', error }])
  await store.enqueue({ queue: 'sync', kind: 'pull', target: 'customer:2' })
  await store.queues.pause('sync', { actor: 'ada' })
  for (const place of [
    ['--url', postgresUrl(), '--schema', store.schema],
    ['--server', `http://127.0.0.1:${port}`],
  ]) {
    const once = await holdfast(['top', '--once', ...place])
    expect({ code: once.code, stderr: once.stderr }).toEqual({ code: 0, stderr: '' })
    expect(once.stdout).not.toContain('\x1b')
    expect(once.stdout).toMatch(/now +ready 1 +running 0 +delayed 0 +waiting 0 +blocked 1\n/)
    expect(once.stdout).toContain(`Target customer:1 is blocked by job ${job.jobId}`)
    expect(once.stdout).toMatch(/ {2}sync +1 .* paused {2}by ada\n/)
    expect(once.stdout).toMatch(new RegExp(`  customer:1 +sync +${job.jobId} +errored .*limit exceeded`))

    // An interval does not make it endless.
    const json = await holdfast(['top', '--json', '--every', '1', ...place])
    expect({ code: json.code, stderr: json.stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(json.stdout)).toMatchObject({
      tenant: 'default',
      flow: { places: { ready: { count: 1, capped: false }, blocked: { count: 1 } } },
      queues: [{ name: 'sync', queued: 1, blocked: 1, workers: 0, pausedBy: 'ada' }],
      targets: [{ target: 'customer:1', jobId: job.jobId }],
      workers: [],
      alerts: [],
    })
  }
})

it('never shows the password of the database', async () => {
  const store = await freshStore()
  const url = new URL(postgresUrl())
  const { stdout } = await holdfast(['top', '--json', '--url', `${url}`, '--schema', store.schema])
  const { name } = JSON.parse(stdout) as { name: string }
  expect(name).toContain(url.hostname)
  expect(name).not.toContain(`:${url.password || 'no password'}@`)
})

it('needs a terminal for the live view, and names what works without one', async () => {
  const refused = await holdfast(['top'])
  expect(refused).toMatchObject({ code: 2, stdout: '' })
  expect(refused.stderr).toContain('--once')
  expect(refused.stderr).toContain('--json')
})

it('takes an interval within its bounds', async () => {
  const { min, max } = EVERY_SECONDS
  for (const every of [min - 1, max + 1, 1.5]) {
    const { code, stderr } = await holdfast(['top', '--every', String(every)])
    expect({ every, code }).toEqual({ every, code: 2 })
    expect(stderr).toContain(`from ${min} to ${max}`)
  }
  // Accepted: what is refused is the missing terminal.
  for (const every of [min, max])
    expect((await holdfast(['top', '--every', String(every)])).stderr).toContain('needs a terminal')
})
