// A deploy as it happens: a worker process ends, its module has changed, the next one starts.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { LIBRARY, start } from '../support/cli/long-running.js'
import { serve } from '../support/http.js'
import { freshStore, postgresUrl } from '../support/world.js'
import { emptyFolder, holdfast } from './run-holdfast.js'

/** Writes a module with one job and these schedules of it. */
function deploy(folder: string, schedules: readonly object[]): void {
  writeFileSync(
    join(folder, 'jobs.mjs'),
    `import { defineJob } from ${JSON.stringify(LIBRARY)}
     export const report = defineJob({ kind: 'report', queue: 'reports', handler: async () => 'done' })
     export const schedules = ${JSON.stringify(schedules)}.map((each) => ({ job: report, ...each }))`,
  )
}

async function working(folder: string, where: string[]) {
  const worker = start(['worker', 'jobs.mjs', ...where], folder)
  await worker.said(({ msg }) => msg === 'working')
  return async () => {
    worker.child.kill('SIGTERM')
    expect((await worker.end).code).toBe(0)
  }
}

it('the schedules of a worker’s module are brought in at every start, and what was changed at run time is kept, shown, and given up when told to', async () => {
  const store = await freshStore()
  const folder = emptyFolder()
  const where = ['--url', postgresUrl(), '--schema', store.schema]
  const say = async (...args: string[]) => {
    const { code, stdout, stderr } = await holdfast(['schedules', ...args, ...where])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return stdout
  }
  const nightly = { name: 'nightly', expression: '0 3 * * *', priority: 30, input: { of: 'sales' } }
  const old = { name: 'old', expression: '@yearly' }
  deploy(folder, [nightly, old])
  await (await working(folder, where))()
  expect(await store.schedules.get('nightly')).toMatchObject({
    ...nightly,
    kind: 'report',
    queue: 'reports',
    createdBy: 'holdfast()',
    declared: { priority: 30, expression: '0 3 * * *' },
    overrides: [],
  })
  const { revision } = await store.schedules.get('old')

  await say('update', 'nightly', '--priority', '90', '--tz', 'Asia/Tokyo')
  await say('pause', 'nightly', '--reason', 'the books are open', '--actor', 'ada')

  // The next version says something else about what was overridden, about what was not, and nothing of `old`.
  deploy(folder, [
    { ...nightly, priority: 40, expression: '30 4 * * *', description: 'after the close' },
    { name: 'new', expression: '@monthly' },
  ])
  await (await working(folder, where))()
  expect(await store.schedules.get('nightly')).toMatchObject({
    expression: '30 4 * * *',
    description: 'after the close',
    priority: 90,
    timeZone: 'Asia/Tokyo',
    pausedBy: 'ada',
    pauseNote: 'the books are open',
    overrides: ['priority', 'timeZone'],
    declared: { priority: 40, timeZone: 'UTC' },
  })
  expect(await store.schedules.get('new')).toMatchObject({ expression: '@monthly', overrides: [] })
  expect(await store.schedules.get('old')).toMatchObject({ expression: '@yearly', revision })

  const shown = (await say('show', 'nightly')).replace(/\s+/g, ' ')
  expect(shown).toContain(
    'overridden priority: 90, the program declares 40; timeZone: "Asia/Tokyo", the program declares "UTC"',
  )
  expect(shown).toContain('by ada: the books are open')
  expect(await say('list')).toMatch(/^nightly .*paused +overridden$/m)
  expect(JSON.parse(await say('update', 'nightly', '--reset', '--json'))).toMatchObject({
    priority: 40,
    timeZone: 'UTC',
    overrides: [],
  })
})

it('a worker of a server says that it cannot declare the schedules of its module', async () => {
  const { store, url } = await serve(await freshStore())
  const folder = emptyFolder()
  deploy(folder, [{ name: 'nightly', expression: '@daily' }])
  const worker = start(['worker', 'jobs.mjs', '--server', url], folder)
  const warning = await worker.said(({ level }) => level === 'warn')
  expect(warning).toMatchObject({ schedules: ['nightly'], msg: expect.stringContaining('not declared') })
  await worker.said(({ msg }) => msg === 'working')
  worker.child.kill('SIGTERM')
  expect((await worker.end).code).toBe(0)
  expect(await store.schedules.list()).toEqual([])
})
