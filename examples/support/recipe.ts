/** Runs a recipe, which is a program: its import runs it. Gives it a database, a port and the arguments that follow its name. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findEmbedded, startEmbedded } from 'holdfast/embedded'
import type { RunFlags } from './run.js'

export async function runRecipe(program: URL, { out, port, args }: RunFlags): Promise<void> {
  process.argv = [process.execPath, fileURLToPath(program), ...args]
  if (port !== undefined) process.env.PORT = String(port)
  // Of a recipe that does not stop by itself: the exit, unlike a death by the signal, stops the database.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(130)
    })
  process.env.DATABASE_URL ||= await embeddedUrl(join(out ?? join('.holdfast', 'examples', 'recipes'), 'pg'))
  await import(program.href)
}

/** One database for all recipes. It stops with the process that has started it. */
async function embeddedUrl(dir: string): Promise<string> {
  const running = await findEmbedded({ dir })
  return running?.ownerPid === undefined ? (await startEmbedded({ dir })).url : running.url
}
