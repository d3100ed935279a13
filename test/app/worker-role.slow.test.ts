// A worker in a sealed database, connected as somebody who has the role `worker` and nothing else.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineJob, holdfast } from 'holdfast'
import { installRoles, roleName } from 'holdfast/store'
import { expect, it, onTestFinished, vi } from 'vitest'
import { emptyFolder, finished, holdfast as holdfastCommand, startHoldfast } from '../cli/run-holdfast.js'
import { urlOf } from '../support/databases.js'
import { dropRoles } from '../support/roles/sealed.js'
import { expectHealthy, freshStore } from '../support/world.js'

const LIBRARY = fileURLToPath(new URL('../../dist/index.js', import.meta.url))
const WAIT = { timeout: 100_000, interval: 20 }

/** A database with its roles, and a user who may work for the default tenant. */
async function sealed() {
  let schema = ''
  onTestFinished(async ({ task }) => {
    if (task.result?.state !== 'fail') await dropRoles(schema)
  })
  const store = await freshStore('postgres', { ownName: true })
  schema = store.schema
  await installRoles(store.database, schema)
  const user = `${schema}_w`
  await store.database.script(
    `create role ${user} login password '${user}'; grant ${roleName('worker', schema)} to ${user}`,
  )
  onTestFinished(() => store.database.script(`drop owned by ${user}; drop role ${user}`))
  await store.database.query('select holdfast.grant_tenant($1, $2)', [user, 'default'])
  return { store, url: urlOf({ user }), schema }
}

it('works from end to end: leases and beats as its queues say, every outcome, groups that scale, the grace of the setting', async () => {
  const { store, url, schema } = await sealed()
  await store.queues.create('accounts', { preset: 'target', actor: 'ada' })
  await store.settings.set('SHUTDOWN_GRACE_PERIOD_SECONDS', 0)
  const logged: unknown[] = []
  const note = (fields: object, message: string) => void logged.push([message, fields])
  const quiet = () => {}
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const jobs = [
    defineJob({
      kind: 'report',
      queue: 'accounts',
      handler: async (ctx) => {
        await ctx.progress('half')
        await ctx.report([{ a: 1 }], 'there')
        await ctx.usage(3)
        return 'reported'
      },
    }),
    defineJob({ kind: 'commit', queue: 'accounts', handler: (ctx) => ctx.commit(async () => 'committed') }),
    defineJob({
      kind: 'fail',
      queue: 'accounts',
      handler: () => {
        throw new Error('no')
      },
    }),
    defineJob({ kind: 'hold', queue: 'accounts', handler: () => opened }),
    defineJob({ kind: 'endless', queue: 'accounts', handler: () => new Promise<never>(() => {}) }),
  ]
  const app = await holdfast({
    url,
    schema,
    jobs,
    queues: { accounts: { preset: 'target' } },
    log: { debug: quiet, info: quiet, warn: note, error: note },
  })
  onTestFinished(() => app.stop({ graceMs: 0 }))
  const working = await app.work({
    name: 'sealed',
    pollMs: 20,
    scaleIntervalMs: 100,
    groups: [{ name: 'g', defaultCount: 1, maxCount: 3 }],
  })
  const [lease] = await store.database.query('select lease_ms from holdfast.lease')
  expect(lease, 'the lease of the preset, which only a verb tells a worker').toEqual({ lease_ms: 10_000 })

  const enqueue = async (kind: string) =>
    (await store.enqueue({ queue: 'accounts', kind, target: kind })).jobId
  const ids = {
    report: await enqueue('report'),
    commit: await enqueue('commit'),
    fail: await enqueue('fail'),
  }
  const state = async (id: number) => (await store.read.job(id)).state
  await vi.waitFor(
    async () =>
      expect([await state(ids.report), await state(ids.commit), await state(ids.fail)]).toEqual([
        'succeeded',
        'succeeded',
        'errored',
      ]),
    WAIT,
  )
  expect(await store.read.job(ids.report)).toMatchObject({
    result: 'reported',
    tokensUsed: 3,
    lastCursor: 'there',
  })

  const held = await Promise.all(
    [1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) =>
      store.enqueue({ queue: 'accounts', kind: 'hold', target: `h${n}` }),
    ),
  )
  const scaled = async () =>
    (await store.read.feed('all')).events.filter(({ type }) => type === 'workers_scaled').length
  await vi.waitFor(async () => expect(await scaled()).toBeGreaterThan(0), WAIT)
  open()
  for (const { jobId } of held)
    await vi.waitFor(async () => expect(await state(jobId)).toBe('succeeded'), WAIT)

  const endless = await enqueue('endless')
  await vi.waitFor(async () => expect((await store.read.job(endless)).attempt).toBe(1), WAIT)
  // The setting says 0 s: nobody waits for it.
  expect(await working.drain()).toMatchObject({ clean: false })
  expect(await store.read.job(endless)).toMatchObject({ state: 'paused' })
  // One job fails, and its line says so.
  expect(logged, 'nothing else failed').toMatchObject([
    ['attempt ended', { kind: 'fail', outcome: 'failed' }],
  ])
  await expectHealthy(store)
})

it('the command line works as that role with the grace of the setting, and cannot look around', async () => {
  const { store, url, schema } = await sealed()
  await store.settings.set('SHUTDOWN_GRACE_PERIOD_SECONDS', 7)
  const cwd = emptyFolder()
  writeFileSync(
    join(cwd, 'jobs.mjs'),
    `import { defineJob } from ${JSON.stringify(LIBRARY)}
     export default defineJob({ kind: 'k', queue: 'q', handler: () => 'done' })
     export const queues = { q: { leaseMs: 20000 } }`,
  )
  const at = ['--json', '--url', url, '--schema', schema]
  const child = startHoldfast(['worker', 'jobs.mjs', ...at], { cwd })
  onTestFinished(() => void child.kill('SIGKILL'))
  const end = finished(child)
  const { jobId } = await store.enqueue({ queue: 'q', kind: 'k' })
  await vi.waitFor(async () => expect((await store.read.job(jobId)).state).toBe('succeeded'), WAIT)
  child.kill('SIGTERM')
  const { code, stdout, stderr } = await end
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const said = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(said).toContainEqual(expect.objectContaining({ grace_s: 7 }))
  expect(said.filter(({ level }) => level !== 'info')).toEqual([])

  const refused = await holdfastCommand(['jobs', 'list', ...at])
  expect(refused.code).toBe(1)
  expect(JSON.parse(refused.stderr)).toMatchObject({ code: 'forbidden' })
})
