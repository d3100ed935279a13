// A worker with nothing to do, for a minute: how often it asks, and what that writes.
import { beside } from '../cell.js'
import { HOLDFAST } from '../contenders.js'
import { launchOurs } from '../launch.js'

const POLL_MS = 1_000
const BEAT_MS = 10_000
const WAL_PER_MINUTE = 1_000

export const ids = ['idle']

export async function run(env) {
  const { idleSeconds: seconds } = env.sizes
  const { plan, leave } = await HOLDFAST.place(env)
  try {
    // A new database has autovacuum still to come, which is none of the worker's doing.
    await launchOurs({ ...plan, steps: [{ op: 'prepare' }, { op: 'settle' }] })
    await env.server.checkpoint()
    const [{ statements, walBytes }] = await launchOurs({
      ...plan,
      steps: [{ op: 'idle', seconds, pollMs: POLL_MS, beatMs: BEAT_MS }],
    })
    const perMinute = 60 / seconds
    const note = `a look every ${POLL_MS / 1000} s, a heartbeat every ${BEAT_MS / 1000} s, over ${seconds} s`
    return {
      cells: [],
      beside: [
        beside(env, {
          id: 'idle_wal',
          what: 'WAL per minute of an idle worker',
          unit: 'bytes',
          value: walBytes * perMinute,
          atMost: WAL_PER_MINUTE,
          note,
        }),
        beside(env, {
          id: 'idle_statements',
          what: 'statements per minute of an idle worker',
          unit: 'statements',
          value: statements * perMinute,
          note,
        }),
      ],
    }
  } finally {
    await leave()
  }
}
