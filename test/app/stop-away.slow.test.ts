// Stopping while the database is away: nothing can be written any more, and nothing is waited for longer than it may take.
import { defineJob, holdfast } from 'holdfast'
import { expect, it, onTestFinished } from 'vitest'
import { openProxy } from '../support/proxy.js'
import { freshStore } from '../support/world.js'

const AFTER_GRACE_MS = 10_000

interface Case {
  readonly how: 'blackHole' | 'refuse'
  readonly graceMs: number
}

it.each<Case>([
  { how: 'blackHole', graceMs: 0 },
  { how: 'refuse', graceMs: 0 },
  { how: 'blackHole', graceMs: 1_000 },
])(
  '6.10 stop ends within its grace and ten seconds while the database is away: $how, grace of $graceMs ms',
  async ({ how, graceMs }) => {
    const store = await freshStore()
    await store.settings.set('UPKEEP_EVERY_SEC', 1)
    const wire = await openProxy()
    const logged: string[] = []
    const log = (_fields: object, message: string) => void logged.push(message)
    let end = () => {}
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    const ends = defineJob({ kind: 'ends', handler: () => ended })
    const deaf = defineJob({ kind: 'deaf', handler: () => new Promise<void>(() => {}) })
    const app = await holdfast({
      url: wire.url,
      schema: store.schema,
      jobs: [ends, deaf],
      log: { debug: log, info: log, warn: log, error: log },
    })
    onTestFinished(() => wire.mend())
    const working = await app.work({ leaseMs: 6_000, groups: [{ defaultCount: 5, maxCount: 10 }] })
    await app.enqueue(ends, null)
    await app.enqueue(deaf, null)
    await expect.poll(async () => (await working.stats())[0]?.busy).toBe(2)
    await wire[how]()
    end()
    const lost = app.enqueue(ends, null).catch((error: Error) => error)
    await expect.poll(() => logged).toContain('heartbeat failed')
    const began = performance.now()
    await app.stop({ graceMs })
    expect(performance.now() - began).toBeLessThan(graceMs + AFTER_GRACE_MS)
    expect(await lost).toMatchObject({ code: expect.stringMatching(/deadline_exceeded|unavailable/) })
    const dialed = wire.dialed
    await wire.mend()
    expect(await working.stopped).toMatchObject({ clean: false })
    expect(wire.dialed, 'nothing goes on by itself').toBe(dialed)
  },
)
