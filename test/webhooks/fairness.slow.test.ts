// One tenant's receivers never delay another's, and no pass of upkeep waits for ever.
import { createServer, type Socket } from 'node:net'
import type { Store } from 'holdfast/store'
import { expect, it, onTestFinished } from 'vitest'
import type { Chore } from '../../src/app/chores/chore.js'
import { ChoreRunner } from '../../src/app/chores/chore-runner.js'
import { startUpkeep } from '../../src/app/upkeep-loop.js'
import { CALLS_PER_TENANT } from '../../src/webhooks/deliveries.js'
import { Webhooks } from '../../src/webhooks/webhooks.js'
import { withoutWaiting } from '../support/alerts/alert-world.js'
import { pinnedStore, type World } from '../support/world.js'

const WAIT = { timeout: 100_000, interval: 20 }
/** Longer than the test takes: what hangs is never given up in it. */
const webhooks = { allow: ['127.0.0.1'], timeoutMs: 60_000 }

/** Takes calls and writes this in answer to each; '' never answers. */
async function receiver(answer: string): Promise<{ url: string; calls: () => number; open: () => number }> {
  let calls = 0
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => open.delete(socket))
    socket.once('data', () => {
      calls++
      socket.write(answer)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  const { port } = server.address() as { port: number }
  return { url: `http://127.0.0.1:${port}/`, calls: () => calls, open: () => open.size }
}

const NO_CONTENT = 'HTTP/1.1 204 No Content\r\n\r\n'
const SWITCHING = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'

/** As many alerts of a tenant as it has queues. */
async function alertsOf(store: Store, tenant: string, queues: number): Promise<void> {
  for (let n = 0; n < queues; n++) await store.enqueue({ queue: `q${n}`, kind: 'k' }, { tenant })
}

/** Upkeep may be first, which is as good. */
async function evaluate(store: World): Promise<void> {
  await store.clock.advance(1_000)
  await store.alerts.check()
}

/** The hostile tenant comes first in every order. */
async function world(hostileUrl: string, goodUrl: string): Promise<World> {
  const store = await pinnedStore()
  await withoutWaiting(store)
  await store.settings.set('ALERT_DEPTH_JOBS', 0)
  await store.settings.set('ALERT_EVERY_SEC', 1)
  const desk = new Webhooks(store, webhooks)
  await desk.add({ tenant: 'a-hostile', name: 'hook', url: hostileUrl, rules: ['depth'] })
  await desk.add({ tenant: 'z-good', name: 'hook', url: goodUrl, rules: ['depth'] })
  return store
}

it('6.13 one tenant whose receivers hang has its own places, and takes none of another', async () => {
  const hostile = await receiver('')
  const good = await receiver(NO_CONTENT)
  const store = await world(hostile.url, good.url)
  await alertsOf(store, 'a-hostile', 3 * CALLS_PER_TENANT)
  await evaluate(store)
  const upkeep = startUpkeep(store, undefined, {}, webhooks)
  onTestFinished(() => upkeep.stop())
  await expect.poll(hostile.open, WAIT).toBe(CALLS_PER_TENANT)
  // Only now, while all of those hang, does the other tenant have something to hear of.
  await alertsOf(store, 'z-good', 2 * CALLS_PER_TENANT)
  await evaluate(store)
  await expect.poll(good.calls, WAIT).toBe(2 * CALLS_PER_TENANT)
  // Not one of the others was given up meanwhile: nothing waited for them.
  expect([hostile.calls(), hostile.open()]).toEqual([CALLS_PER_TENANT, CALLS_PER_TENANT])
})

it('6.13 a webhook that answers 101 stops nobody’s alerts', async () => {
  const hostile = await receiver(SWITCHING)
  const good = await receiver(NO_CONTENT)
  const store = await world(hostile.url, good.url)
  const upkeep = startUpkeep(store, undefined, {}, webhooks)
  onTestFinished(() => upkeep.stop())
  await alertsOf(store, 'a-hostile', 1)
  await evaluate(store)
  await expect.poll(hostile.calls, WAIT).toBe(1)
  await alertsOf(store, 'z-good', 1)
  await evaluate(store)
  await expect.poll(good.calls, WAIT).toBe(1)
})

it('6.13 a pass of a chore that never ends fails at its deadline and is seen to have failed', async () => {
  const store = await pinnedStore()
  const desk = new ChoreRunner(store)
  const hung: Chore = {
    name: 'hung',
    of: 'never ends',
    deadlineMs: 50,
    everyMs: async () => 1_000,
    run: () => new Promise(() => {}),
  }
  await expect(desk.pass(hung)).rejects.toMatchObject({ code: 'deadline_exceeded' })
  await desk.notes.say()
  expect((await store.upkeep.chores()).find(({ name }) => name === 'hung')).toMatchObject({
    failures: 1,
    error: 'The call of the chore hung did not finish within 50 ms.',
  })
})

it('6.13 every chore has a deadline', async () => {
  const { chores } = new ChoreRunner(await pinnedStore())
  for (const chore of chores) expect(chore.deadlineMs ?? 120_000, chore.name).toBeLessThanOrEqual(720_000)
})
