/** `holdfast doctor` as a user runs it. What it can find is shown in test/store/doctor. */

import { startEmbedded } from 'holdfast/embedded'
import { examine, migrateUp, openPostgres } from 'holdfast/store'
import { expect, it, onTestFinished } from 'vitest'
import { freshStore, postgresUrl } from '../support/world.js'
import { emptyFolder, holdfast } from './run-holdfast.js'

it('is silent and 0 on a healthy database', async () => {
  const server = await startEmbedded({ ephemeral: true, settings: { fsync: 'on', full_page_writes: 'on' } })
  onTestFinished(() => server.stop())
  const database = openPostgres({ url: server.url, connections: 1 })
  await migrateUp(database, 'holdfast')
  await database.close()
  const { code, stdout, stderr } = await holdfast(['doctor', '--deep'], { env: { DATABASE_URL: server.url } })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/is healthy: 13 checks passed\.\n$/)
  expect(stdout).not.toContain(new URL(server.url).password)
})

it('tells each finding with what mends it, and exits with 1', async () => {
  const store = await freshStore()
  await store.database.script('drop index holdfast.held_parked')
  const flags = ['--url', postgresUrl(), '--schema', store.schema]
  const told = await holdfast(['doctor', ...flags])
  expect(told).toMatchObject({ code: 1, stderr: '' })
  expect(told.stdout).toContain('problem  The index held_parked is missing')
  expect(told.stdout).toContain(`fix  CREATE INDEX CONCURRENTLY held_parked ON ${store.schema}.held`)
  const json = await holdfast(['doctor', '--json', ...flags])
  expect(json).toMatchObject({ code: 1, stderr: '' })
  const { healthy, findings, checks } = JSON.parse(json.stdout)
  expect(healthy).toBe(false)
  const here = await examine(store.database, store.schema)
  expect(findings.map(({ code }: { code: string }) => code)).toEqual(
    expect.arrayContaining(here.findings.map(({ code }) => code)),
  )
  expect(checks.length).toBe(here.checks.length)
})

it('a database that is not there: 69, with what to look at', async () => {
  const flags = ['--url', 'postgres://ann:secret@127.0.0.1:1/none']
  const { code, stdout } = await holdfast(['doctor', '--json', ...flags], {
    env: { HOLDFAST_DATABASE_WAIT_SECONDS: '0' },
  })
  expect(code).toBe(69)
  expect(JSON.parse(stdout)).toMatchObject({
    healthy: false,
    findings: [{ code: 'unreachable', fix: expect.stringContaining('Nothing listens at that address') }],
  })
  const wrong = new URL(postgresUrl())
  wrong.pathname = '/there_is_none'
  const told = await holdfast(['doctor', '--url', wrong.href])
  expect(told).toMatchObject({ code: 78, stdout: expect.stringContaining('createdb') })
  expect(told.stdout).not.toContain(wrong.password)
})

it('where nothing is set up, it says how to begin and makes nothing', async () => {
  const { code, stderr } = await holdfast(['doctor'], { cwd: emptyFolder() })
  expect({ code, stderr }).toMatchObject({ code: 78, stderr: expect.stringContaining('holdfast up') })
})
