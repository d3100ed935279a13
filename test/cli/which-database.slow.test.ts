// Which database a command works on, and what is left alone.
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PACKAGE_VERSION } from '../../src/database/package.js'
import { moduleFolder, start } from '../support/cli/long-running.js'
import { freshStore, postgresUrl, type World } from '../support/world.js'
import { emptyFolder, holdfast } from './run-holdfast.js'

const place = (store: World) => ['--url', postgresUrl(), '--schema', store.schema]

describe('up with a worker that lives', () => {
  it('6.18 doctor finds nothing wrong with a worker that lives; draining it leaves server and database alone', async () => {
    const cwd = moduleFolder()
    const run = start(['up', './jobs.mjs'], cwd)
    const { server } = await run.said(({ msg }) => msg === 'up')
    const workers = async () => JSON.parse((await holdfast(['workers', '--json'], { cwd })).stdout).workers
    await expect.poll(workers).toHaveLength(1)
    const [{ worker, version }] = await workers()
    expect(version).toBe(PACKAGE_VERSION)
    const doctor = await holdfast(['doctor', '--json'], { cwd })
    expect(
      JSON.parse(doctor.stdout).findings.filter((one: { code: string }) => one.code === 'worker_old'),
    ).toEqual([])
    expect(doctor.code).toBe(0)

    expect(await holdfast(['workers', 'drain', worker], { cwd })).toMatchObject({ code: 0 })
    await run.said(({ msg }) => msg.startsWith('workers drained on request'))
    expect((await fetch(`${server}/api/v1/jobs`)).status).toBe(200)
    expect(await workers()).toEqual([])
    expect(await holdfast(['jobs', 'list'], { cwd })).toMatchObject({ code: 0 })
    run.child.kill('SIGTERM')
    await run.end
    expect(existsSync(join(cwd, '.holdfast', 'pg', 'data', 'postmaster.pid'))).toBe(false)
  })
})

describe('which database', () => {
  it('6.18 the line "working" names the database, without its password', async () => {
    const store = await freshStore()
    const run = start(['worker', './jobs.mjs', ...place(store as World)], moduleFolder())
    const { database } = await run.said(({ msg }) => msg === 'working')
    const { hostname, port, pathname, password } = new URL(postgresUrl())
    expect(database).toContain(`${hostname}:${port}${pathname}`)
    expect(password).not.toBe('')
    expect(JSON.stringify(run.lines)).not.toContain(password)
    run.child.kill('SIGTERM')
    await run.end
  })

  it.each([
    { env: { NODE_ENV: 'production' }, words: 'NODE_ENV=production' },
    { env: { POSTGRES_URL: 'postgres://ann:hunter2@db/shop' }, words: 'POSTGRES_URL is set' },
  ])('6.18 no command starts a database by itself with $env', async ({ env, words }) => {
    const cwd = emptyFolder()
    for (const args of [['up'], ['migrate', 'up'], ['server']]) {
      const { code, stderr } = await holdfast([...args, '--json'], { cwd, env })
      const told = JSON.parse(stderr)
      expect(told.message, args.join(' ')).toContain(words)
      expect(told.remedy).toContain('DATABASE_URL')
      expect({ code, secret: stderr.includes('hunter2') }).toEqual({ code: 78, secret: false })
    }
    expect(existsSync(join(cwd, '.holdfast'))).toBe(false)
    const asked = await holdfast(['migrate', 'up', '--json'], {
      cwd,
      env: { ...env, HOLDFAST_DATABASE_EMBEDDED: 'true' },
    })
    expect(asked).toMatchObject({ code: 0, stderr: '' })
  })

  it('6.18 a port that is taken is found before the database is started', async () => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void taken.close())
    const { port } = taken.address() as { port: number }
    const cwd = emptyFolder()
    for (const command of ['up', 'server']) {
      const { code, stderr } = await holdfast([command, '--port', String(port), '--json'], { cwd })
      expect(JSON.parse(stderr)).toMatchObject({ code: 'port_taken' })
      expect(code).toBe(78)
    }
    expect(existsSync(join(cwd, '.holdfast'))).toBe(false)
  })

  it('6.18 migrate status --check has an exit code', async () => {
    const store = (await freshStore()) as World
    const current = await holdfast(['migrate', 'status', '--check', ...place(store)])
    expect(current).toMatchObject({ code: 0, stderr: '' })
    const elsewhere = ['--url', postgresUrl(), '--schema', 'not_there_yet']
    for (const more of [[], ['--json']]) {
      const missing = await holdfast(['migrate', 'status', '--check', ...elsewhere, ...more])
      expect(missing).toMatchObject({ code: 1 })
      expect(missing.stdout).toMatch(/not installed in this database|"state":"missing"/)
    }
    expect((await holdfast(['migrate', 'status', ...elsewhere])).code).toBe(0)
  })
})
