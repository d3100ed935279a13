/** Entry of the heartbeat thread: opens its own port and runs the heartbeat loop for the workers of this process. */
import { parentPort, workerData } from 'node:worker_threads'
import type { HeartbeatModule } from '../worker-options.js'
import {
  HeartbeatLoop,
  type HeartbeatMember,
  type HeartbeatNews,
  type HeartbeatPort,
} from './heartbeat-loop.js'

export type ToThread =
  | { readonly join: HeartbeatMember }
  | { readonly update: { readonly id: number; readonly lease: number | null; readonly jobLeases: number[] } }
  | { readonly leave: number }
  | { readonly close: true }

export type FromThread =
  | { readonly ready: true }
  | { readonly news: HeartbeatNews; readonly id: number }
  | { readonly left: number }

interface ThreadPort extends HeartbeatPort {
  close?(): Promise<void>
}

if (parentPort !== null) await serve(parentPort, workerData as HeartbeatModule)

async function serve(main: NonNullable<typeof parentPort>, { module, options }: HeartbeatModule) {
  const { openPort } = (await import(module)) as { openPort(options: unknown): Promise<ThreadPort> }
  const port = await openPort(options)
  const post = (message: FromThread) => main.postMessage(message)
  const loop = new HeartbeatLoop(port, (id, news) => post({ id, news }))
  main.on('message', async (message: ToThread) => {
    if ('join' in message) loop.join(message.join)
    else if ('update' in message) {
      const { id, lease, jobLeases } = message.update
      loop.update(id, lease, jobLeases)
    } else if ('leave' in message) {
      // A worker that could not be removed from the list goes stale by itself.
      await loop.leave(message.leave).catch(() => {})
      post({ left: message.leave })
    } else {
      await port.close?.().catch(() => {})
      main.close()
    }
  })
  post({ ready: true })
}
