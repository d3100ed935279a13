// A handler in a module of its own: says where it runs, and crashes when told to.
import { isMainThread } from 'node:worker_threads'

export default async function where(ctx, { crash = false } = {}) {
  ctx.log(`in ${process.pid}`)
  if (crash && ctx.attempt === 1) process.exit(9)
  return { pid: process.pid, isMainThread, attempt: ctx.attempt }
}
