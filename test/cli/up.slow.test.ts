import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findEmbedded } from 'holdfast/embedded'
import { openStore, type Store } from 'holdfast/store'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ended, moduleFolder, start } from '../support/cli/long-running.js'
import { emptyFolder, holdfast } from './run-holdfast.js'

/** The database that `up` runs in a folder. */
async function storeIn(cwd: string): Promise<Store> {
  const found = await findEmbedded({ dir: join(cwd, '.holdfast', 'pg') })
  const store = await openStore({ url: found?.url ?? '', connections: 1 })
  onTestFinished(() => store.close())
  return store
}

describe('up and down', () => {
  it('starts a database with everything in it, shares it with a second terminal, and ends with `down`', async () => {
    const cwd = emptyFolder()
    const run = start(['up', '--demo'], cwd)
    const up = await run.said(({ msg }) => msg === 'up')
    expect(up).toMatchObject({
      database: expect.stringContaining('.holdfast'),
      kinds: expect.arrayContaining(['send-email']),
    })
    await run.said((line) => ended(line) && line.outcome === 'succeeded')
    await run.said((line) => ended(line) && line.outcome === 'failed')
    // The same process serves the API, and a page that shows a browser what is going on.
    const page = await (await fetch(`${up.server}/status`)).text()
    for (const words of ['catalogue', 'serving', 'alive']) expect(page).toContain(words)
    expect((await fetch(`${up.server}/api/v1/jobs?queue=catalogue`)).status).toBe(200)

    const list = await holdfast(['jobs', 'list', '--json'], { cwd })
    expect(list.code).toBe(0)
    expect(JSON.parse(list.stdout).jobs.length).toBeGreaterThan(0)
    const made = await holdfast(['enqueue', 'catalogue', 'send-email', '{"to":"ada"}', '--json'], { cwd })
    const [{ jobId }] = JSON.parse(made.stdout).jobs
    expect(await holdfast(['jobs', 'tail', String(jobId)], { cwd })).toMatchObject({ code: 0 })

    const second = await holdfast(['up', '--json'], { cwd })
    expect(second.code).toBe(1)
    expect(JSON.parse(second.stderr)).toMatchObject({
      code: 'already_up',
      remedy: expect.stringContaining('holdfast down'),
    })
    const down = await holdfast(['down'], { cwd })
    expect(down).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`Stopped process ${run.child.pid}`),
    })
    expect(await run.end).toMatchObject({ code: 0 })
    expect(await holdfast(['down'], { cwd })).toMatchObject({ code: 0, stdout: 'Nothing is up here.\n' })
  })

  it('S4.08 killed under load and started again, it loses no job, and those that were assigned come back', async () => {
    const cwd = moduleFolder()
    const args = ['up', 'jobs.mjs', '--lease', '2', '--min', '4']
    const first = start(args, cwd)
    await first.said(({ msg }) => msg === 'up')
    const before = await storeIn(cwd)
    const { jobId } = await before.enqueue({ queue: 'q', kind: 'endless' })
    await expect.poll(async () => (await before.read.job(jobId)).attempt).toBe(1)
    const made = await before.enqueueMany(
      Array.from({ length: 200 }, (_, name) => ({ queue: 'q', kind: 'greet', input: { name } })),
    )
    first.child.kill('SIGKILL')
    await first.end

    const second = start(args, cwd)
    await second.said(({ msg }) => msg === 'up')
    const after = await storeIn(cwd)
    const done = async () => (await after.list.jobs({ state: 'succeeded', limit: 500 })).rows.length
    await expect.poll(done, { timeout: 120_000 }).toBe(made.length)
    // On a busy machine the second process may lose a lease of two seconds as well; each loss is one more attempt.
    await expect
      .poll(async () => (await after.read.job(jobId)).attempt, { timeout: 120_000 })
      .toBeGreaterThanOrEqual(2)
    const endless = await after.read.job(jobId)
    expect(endless).toMatchObject({ failures: 0, losses: endless.attempt - 1 })
    expect(await after.read.violations()).toEqual([])
    expect(await holdfast(['down', '--now'], { cwd })).toMatchObject({ code: 0 })
  })

  it('without a module keeps the database up, and stops a server that a killed one left behind', async () => {
    const cwd = emptyFolder()
    const run = start(['up'], cwd)
    await run.said(({ msg }) => msg === 'up')
    expect(await holdfast(['queues', 'list'], { cwd })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('No queues yet'),
    })
    run.child.kill('SIGKILL')
    await run.end
    expect(await holdfast(['down'], { cwd })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('left running'),
    })
  })

  it('says 78 when it cannot write where its data should be', async () => {
    const cwd = emptyFolder()
    writeFileSync(join(cwd, 'file'), '')
    const answer = await holdfast(['up', '--json'], { cwd, env: { HOLDFAST_FOLDER: 'file/folder' } })
    expect(answer.code).toBe(78)
    expect(JSON.parse(answer.stderr)).toMatchObject({
      code: 'folder_not_writable',
      remedy: expect.stringContaining('HOLDFAST_FOLDER'),
    })
  })
})
