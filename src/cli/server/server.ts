/** `holdfast server`: serves the HTTP API and does upkeep until it is stopped. It runs no jobs. */
import type { Command } from 'commander'
import { webhookOptionsOf } from '../../app/configured.js'
import { startUpkeep } from '../../app/upkeep-loop.js'
import { PACKAGE_VERSION } from '../../database/package.js'
import { configOf, type DatabaseFlags, databaseCommand } from '../flags.js'
import type { CommandContext } from '../program.js'
import { openLog } from '../terminal/log.js'
import { databaseName, openApp } from '../worker/app.js'
import { checkPort, type ServeFlags, serve, serveKeys } from './serve.js'

type Flags = DatabaseFlags & ServeFlags

export function serverCommand(context: CommandContext): Command {
  return withAddressOptions(
    databaseCommand(
      'server',
      'serve the HTTP API until stopped',
      'holdfast server --port 8080',
      'holdfast server --host 0.0.0.0',
    ),
  ).action((flags: Flags) => server(flags, context))
}

export function withAddressOptions(command: Command): Command {
  return command
    .option('--port <n>', 'port of the HTTP API (default: 8080); 0 picks a free one')
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .option('--base-path <path>', 'path below which a proxy mounts the server')
}

async function server(flags: Flags, context: CommandContext): Promise<void> {
  const config = configOf(flags, context, serveKeys(flags))
  const log = openLog(config, context.terminal, flags.json === true)
  await checkPort(config)
  const app = await openApp(config, context, { log: log.below })
  const { signal, interruption } = context
  try {
    const serving = await serve(app, config, log)
    const upkeep = startUpkeep(app.store, log.below, config.localSettings(), webhookOptionsOf(config))
    log.info(
      {
        event: 'server_started',
        version: PACKAGE_VERSION,
        url: serving.url,
        dashboard: serving.dashboard,
        database: databaseName(config),
      },
      'serving',
    )
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
    log.info({ event: 'server_stopping' }, 'stopping: waiting for open requests')
    await serving.close()
    await upkeep.stop()
    interruption.drainedCleanly()
  } finally {
    await app.stop()
  }
}
