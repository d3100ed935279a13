/**
 * `holdfast dashboard`: the dashboard straight on a database, for the person who starts it. It does no upkeep and runs no jobs. Where keys
 * exist, it prints a link that signs this person in: the address of the database allows as much as any key.
 */
import { randomBytes } from 'node:crypto'
import type { Command } from 'commander'
import { PACKAGE_VERSION } from '../../database/package.js'
import { configOf, type DatabaseFlags, databaseCommand } from '../flags.js'
import type { CommandContext } from '../program.js'
import { openLog } from '../terminal/log.js'
import { databaseName, openApp } from '../worker/app.js'
import { checkPort, isLoopback, type ServeFlags, serve, serveKeys } from './serve.js'

interface Flags extends DatabaseFlags, ServeFlags {
  readonly readOnly?: boolean
}

/** Beside a server, which has 8080. */
const PORT = '8081'

export function dashboardCommand(context: CommandContext): Command {
  return databaseCommand(
    'dashboard',
    'serve the dashboard on a database until stopped',
    'holdfast dashboard --url postgres://localhost/app --read-only',
  )
    .option('--read-only', 'refuse every change')
    .option('--port <n>', `port to listen on (default: ${PORT}); 0 picks a free one`)
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .option('--base-path <path>', 'path below which a proxy mounts it')
    .action((flags: Flags) => dashboard(flags, context))
}

async function dashboard(flags: Flags, context: CommandContext): Promise<void> {
  const config = configOf(flags, context, serveKeys({ ...flags, port: flags.port ?? PORT }))
  const log = openLog(config, context.terminal, flags.json === true)
  await checkPort(config)
  const app = await openApp(config, context, { log: log.below })
  const { signal, interruption, terminal } = context
  try {
    const readOnly = flags.readOnly === true
    const needsKey = (await app.store.keys.keysRequiredSince()) !== undefined
    const hasLink = needsKey && isLoopback(config.get('server.host'))
    const linkKey = hasLink ? randomBytes(24).toString('base64url') : undefined
    const { dashboard: address, close } = await serve(app, config, log, {
      readOnly,
      ...(linkKey === undefined ? {} : { linkKey }),
    })
    const link = linkKey === undefined ? address : `${address}?sign_in=${linkKey}`
    const database = databaseName(config)
    if (log.pretty) {
      const { bold, dim } = terminal.paint
      terminal.out(`\n  ${bold('Holdfast dashboard')}${readOnly ? ', read-only' : ''}  ${dim(database)}\n`)
      terminal.out(`  ${link}\n`)
      terminal.out(`  ${dim(`${hasLink ? 'The link signs you in. ' : ''}Ctrl-C stops.`)}\n`)
    } else
      log.info(
        { event: 'dashboard_started', version: PACKAGE_VERSION, url: link, read_only: readOnly, database },
        'serving the dashboard',
      )
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
    await close()
    interruption.drainedCleanly()
  } finally {
    await app.stop()
  }
}
