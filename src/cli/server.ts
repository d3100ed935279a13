/** `holdfast server`: the HTTP API on a database, with its upkeep, until told to stop. It runs no jobs. */
import type { Command } from 'commander'
import { webhookOptionsOf } from '../app/configured.js'
import { startUpkeep } from '../app/upkeep-loop.js'
import { PACKAGE_VERSION } from '../store/package.js'
import { configOf, type DatabaseFlags, databaseCommand } from './flags.js'
import { openLog } from './log.js'
import type { Context } from './program.js'
import { checkPort, type ServeFlags, serve, serveKeys } from './serving.js'
import { databaseName, openApp } from './working.js'

type Flags = DatabaseFlags & ServeFlags

export function serverCommand(context: Context): Command {
  return withAddress(
    databaseCommand(
      'server',
      'the HTTP API, until told to stop',
      'holdfast server --port 8080',
      'holdfast server --host 0.0.0.0',
    ),
  ).action((flags: Flags) => server(flags, context))
}

export function withAddress(command: Command): Command {
  return command
    .option('--port <n>', 'where the HTTP API listens (default: 8080); 0 takes any that is free')
    .option('--host <address>', 'who can reach it (default: 127.0.0.1, this machine)')
}

async function server(flags: Flags, context: Context): Promise<void> {
  const config = configOf(flags, context, serveKeys(flags))
  const log = openLog(config, context.terminal, flags.json === true)
  await checkPort(config)
  const app = await openApp(config, context, { log: log.below })
  const { signal, interruption } = context
  try {
    const serving = await serve(app, config, log)
    const upkeep = startUpkeep(app.store, log.below, config.localSettings(), webhookOptionsOf(config))
    log.info({ version: PACKAGE_VERSION, url: serving.url, database: databaseName(config) }, 'serving')
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
    log.info({}, 'stopping: calls under way are answered')
    await serving.close()
    await upkeep.stop()
    interruption.drainedCleanly()
  } finally {
    await app.stop()
  }
}
