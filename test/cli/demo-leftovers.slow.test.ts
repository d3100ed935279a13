import { join } from 'node:path'
import { expect, it } from 'vitest'
import { holdfast as openApp } from '../../src/app/holdfast.js'
import { start } from '../support/cli/long-running.js'
import { emptyFolder, holdfast, steps } from './run-holdfast.js'

it('6.18 npm start, Ctrl-C and then the demo in the same folder comes to its end', async () => {
  const folder = emptyFolder()
  const up = start(['up', '--demo'], folder)
  await up.said(({ msg }) => msg === 'up')
  await holdfast(['enqueue', 'catalogue', 'send-email', '{}', '--delay', '3600', '--json'], { cwd: folder })
  up.child.kill('SIGINT')
  await up.end

  const { code, stdout, stderr } = await holdfast(['demo', '--json'], { cwd: folder })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(steps(stdout).get('history')).toMatchObject({ jobs: 0, leftOver: 0, finished: 0 })
})

it('6.18 the demo takes up its own leftovers, whatever was done to them, and leaves those of other programs alone', async () => {
  const folder = emptyFolder()
  const app = await openApp({ embedded: { home: join(folder, '.holdfast') } })
  const ours = { queue: 'holdfast-demo', kind: 'transfer', target: 'account:42' }
  await app.queues.create('holdfast-demo', { policy: { retryBaseMs: 400 } })
  const set = await app.store.enqueue(ours)
  const behind = await app.store.enqueue(ours)
  const [claimed] = await app.store.work.claim({ worker: 'w', queues: ['holdfast-demo'], leaseMs: 60_000 })
  if (claimed === undefined) throw new Error('nothing was claimed')
  await app.store.work.finish([{ ...claimed, outcome: 'parked', reason: 'to look at it' }])
  await app.queues.pause('holdfast-demo')
  const strangers = await app.store.enqueueMany([
    { queue: 'holdfast-demo', kind: 'of-another-program' },
    { queue: 'demo', kind: 'receipt' },
    { queue: 'catalogue', kind: 'send-email' },
    { queue: 'mail', kind: 'welcome', delayMs: 3_600_000 },
  ])
  await app.stop()

  const { code, stdout, stderr } = await holdfast(['demo', '--json'], { cwd: folder })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(steps(stdout).get('history')).toMatchObject({ jobs: 2, leftOver: 2, finished: 2, others: 4 })

  const after = await openApp({ embedded: { home: join(folder, '.holdfast') } })
  const states = async (made: readonly { jobId: number }[]) =>
    Promise.all(made.map(async ({ jobId }) => (await after.store.read.job(jobId)).state))
  expect(await states([set, behind])).toEqual(['succeeded', 'succeeded'])
  expect(await states(strangers)).toEqual(['parked', 'queued', 'queued', 'scheduled'])
  await after.stop()
})
