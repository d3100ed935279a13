import { expect, it } from 'vitest'
import { enqueue, nextCheck, withoutWaiting } from '../support/alerts/alert-world.js'
import { startReceiver } from '../support/alerts/receiver.js'
import { serve } from '../support/http.js'
import { pinnedStore, postgresUrl, type World } from '../support/world.js'
import { holdfast } from './run-holdfast.js'

const flagsOf = (store: World) => ['--url', postgresUrl(), '--schema', store.schema]

async function deepStore(): Promise<World> {
  const store = await pinnedStore()
  await withoutWaiting(store)
  await store.settings.set('ALERT_DEPTH_JOBS', 0)
  for (const rule of ['no_worker', 'oldest_ready']) await store.alerts.setRule(rule, { enabled: false })
  return store
}

it('alerts are listed, shown, silenced and told of again; nothing wrong is said to be nothing', async () => {
  const store = await deepStore()
  const run = (...args: string[]) => holdfast(['alerts', ...args, ...flagsOf(store)])
  expect(await run('list')).toMatchObject({ code: 0, stdout: 'No alerts.\n' })
  expect(await run('history')).toMatchObject({ code: 0, stdout: 'No alert events.\n' })
  await enqueue(store, 'mail', 1)
  await nextCheck(store)
  expect((await run()).stdout).toMatch(/1 +firing .*depth +More than 0 jobs wait in the/)
  expect(await run('silence', '1')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--minutes or --until'),
  })
  const silenced = await run('silence', '1', '--minutes', '90', '--reason', 'known', '--actor', 'ann')
  expect(silenced).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Alert 1 is silenced until 2030-01-01'),
  })
  const shown = await run('show', '1')
  expect(shown.stdout).toContain('(ann: known)')
  expect(shown.stdout).toMatch(/silenced +depth +mail +ann +known/)
  expect((await run('unsilence', '1')).stdout).toBe('Alert 1 is no longer silenced.\n')
  expect((await run('unsilence', '1')).stdout).toBe('Alert 1 was not silenced.\n')
  const { alerts } = JSON.parse((await run('list', '--json')).stdout)
  expect(alerts).toMatchObject([{ id: 1, rule: 'depth', subject: 'mail', state: 'firing' }])
  expect(await run('show', '9')).toMatchObject({ code: 1, stderr: expect.stringContaining('no alert 9') })
})

it('rules are shown and changed, for a tenant or for one queue of it', async () => {
  const store = await deepStore()
  const run = (...args: string[]) => holdfast(['alerts', 'rules', ...args, ...flagsOf(store)])
  expect((await run('depth', '--subject', 'mail', '--threshold', '5', '--for', '0')).stdout).toMatch(
    /depth +mail +5 +0 s +0 s +set/,
  )
  expect((await run('depth', '--off')).stdout).toMatch(/depth +off/)
  expect((await run('depth', '--reset')).stdout).toMatch(/depth +0 .*ALERT_DEPTH_JOBS/)
  expect(await run('dept', '--off')).toMatchObject({ code: 1, stderr: expect.stringContaining('"depth"') })
  expect(await run('--off')).toMatchObject({ code: 2 })
})

it('a webhook is added, listed, tried out and removed, here and through a server', async () => {
  const store = await deepStore()
  const receiver = await startReceiver()
  const url = `https://127.0.0.1:${receiver.port}/`
  const run = (args: string[], env: Record<string, string> = {}) =>
    holdfast([...args, ...flagsOf(store)], { env })
  expect((await run(['webhooks', 'list'])).stdout).toContain('No webhook receives alerts')
  const refused = await run(['webhooks', 'add', 'pager', url])
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('not public') })
  const env = { HOLDFAST_WEBHOOKS_ALLOW: '127.0.0.0/8' }
  const added = await run(['webhooks', 'add', 'pager', url, '--rule', 'depth'], env)
  expect(added).toMatchObject({ code: 0, stdout: expect.stringMatching(/^whsec_\S+\n$/) })
  expect((await run(['webhooks', 'list'])).stdout).toMatch(/1 +pager +on +default +depth +https/)
  // Its certificate is made out to another name, and by nobody we trust.
  const tried = await run(['alerts', 'test-webhook', '1'], env)
  expect(tried).toMatchObject({ code: 1, stderr: expect.stringContaining('did not arrive') })
  expect((await run(['webhooks', 'disable', '1'])).stdout).toBe('Webhook 1 is off.\n')

  const server = await serve(store)
  const remote = (...args: string[]) => holdfast([...args, '--server', server.url])
  expect((await remote('webhooks', 'list')).stdout).toMatch(/1 +pager +off/)
  expect((await remote('webhooks', 'enable', '1')).stdout).toBe('Webhook 1 is on.\n')
  await enqueue(store, 'mail', 1)
  await nextCheck(store)
  expect((await remote('webhooks', 'deliveries', '1')).stdout).toMatch(/firing +waiting/)
  expect((await remote('alerts', 'list')).stdout).toMatch(/firing .*depth/)
  expect((await remote('alerts', 'silence', '1', '--minutes', '5')).code).toBe(0)
  expect((await remote('alerts', 'show', '1')).stdout).toMatch(/silenced +until/)
  expect((await remote('alerts', 'unsilence', '1')).stdout).toBe('Alert 1 is no longer silenced.\n')
  expect((await remote('alerts', 'rules', 'depth', '--threshold', '7')).stdout).toMatch(/depth +7/)
  expect((await remote('alerts', 'history')).stdout).toMatch(/unsilenced/)
  expect(await remote('alerts', 'test-webhook', '1')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('not public'),
  })
  expect(await remote('webhooks', 'add', 'x', 'https://10.0.0.1/')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('not public'),
  })
  expect((await remote('webhooks', 'remove', '1')).stdout).toBe('Webhook 1 is removed.\n')
})
