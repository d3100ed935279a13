import { expect, it } from 'vitest'
import { moduleFolder, start } from '../support/cli/long-running.js'
import { freshStore, postgresUrl } from '../support/world.js'
import { holdfast } from './run-holdfast.js'

it('metrics that others could reach are not told without a token: exit 78, with what to do', async () => {
  const store = await freshStore()
  const env = { DATABASE_URL: postgresUrl(), HOLDFAST_SCHEMA: store.schema }
  const args = ['worker', './jobs.mjs', '--metrics-port', '0', '--metrics-host', '0.0.0.0', '--json']
  const { code, stderr } = await holdfast(args, { cwd: moduleFolder(), env })
  expect(code).toBe(78)
  expect(stderr).toContain('HOLDFAST_METRICS_TOKEN')
})

it('each process of a worker tells metrics of its own, to whoever brings the token', async () => {
  const store = await freshStore()
  const token = 'a-token-of-some-length'
  const worker = start(['worker', './jobs.mjs', '--metrics-port', '0', '--processes', '2'], moduleFolder(), {
    DATABASE_URL: postgresUrl(),
    HOLDFAST_SCHEMA: store.schema,
    HOLDFAST_METRICS_TOKEN: token,
  })
  await worker.said(({ msg }) => msg === 'working')
  const told = worker.lines.filter(({ msg }) => msg === 'metrics') as unknown as {
    url: string
    pid: number
  }[]
  expect(new Set(told.map(({ pid }) => pid)).size).toBe(2)
  for (const { url } of told) {
    expect((await fetch(url)).status).toBe(401)
    const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
    expect(await answer.text()).toContain('holdfast_worker_slots{state="free"}')
  }
  worker.child.kill('SIGTERM')
  await worker.end
})
