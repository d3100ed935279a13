/** The heartbeat's own thread: opens a port of its own and beats for the workers of the main thread. */
import { parentPort, workerData } from 'node:worker_threads'
import type { WorkPort } from '../domain/port.js'
import { Heart, type Member, type Told } from './heart.js'
import type { HeartbeatModule } from './worker-options.js'

export type ToThread =
  | { readonly join: Member }
  | { readonly update: { readonly id: number; readonly lease: number | null; readonly own: number[] } }
  | { readonly leave: number }
  | { readonly close: true }

export type FromThread =
  | { readonly ready: true }
  | { readonly told: { readonly id: number; readonly told: Told } }
  | { readonly left: number }

interface OpenedPort extends WorkPort {
  close?(): Promise<void>
}

if (parentPort !== null) await live(parentPort, workerData as HeartbeatModule)

async function live(main: NonNullable<typeof parentPort>, { module, options }: HeartbeatModule) {
  const { openPort } = (await import(module)) as { openPort(options: unknown): Promise<OpenedPort> }
  const port = await openPort(options)
  const say = (message: FromThread) => main.postMessage(message)
  const heart = new Heart(port, (id, told) => say({ told: { id, told } }))
  main.on('message', async (message: ToThread) => {
    if ('join' in message) heart.join(message.join)
    else if ('update' in message) heart.update(message.update.id, message.update.lease, message.update.own)
    else if ('leave' in message) {
      // Presence that could not be taken back goes stale by itself.
      await heart.leave(message.leave).catch(() => {})
      say({ left: message.leave })
    } else {
      await port.close?.().catch(() => {})
      main.close()
    }
  })
  say({ ready: true })
}
