/** Shared by `server` and `up`: starts the HTTP server on the configured address. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import { webhookOptionsOf } from '../../app/configured.js'
import type { App } from '../../app/holdfast.js'
import type { Config } from '../../config/resolve.js'
import { basePathOf } from '../../server/http/base-path.js'
import { CommandError, EXIT } from '../failure.js'
import type { FlagKeys } from '../flags.js'
import type { CommandLog } from '../terminal/log.js'

export interface Serving {
  readonly url: string
  /** The address of the dashboard. */
  readonly dashboard: string
  /** Accepts no new requests, completes open ones, and ends long polls with an empty response. */
  close(): Promise<void>
}

export interface ServeFlags {
  readonly host?: string
  readonly port?: string
  readonly basePath?: string
}

export function serveKeys({ host, port, basePath }: ServeFlags): FlagKeys {
  return {
    'server.host': { flag: '--host', value: host },
    'server.port': { flag: '--port', value: port },
    'server.base_path': { flag: '--base-path', value: basePath },
  }
}

interface ServeOptions {
  readonly readOnly?: boolean
  /** Signs in the person who opens the address with it. */
  readonly linkKey?: string
}

export async function serve(
  { store, upkeep }: Pick<App, 'store' | 'upkeep'>,
  config: Config,
  log: CommandLog,
  { readOnly = false, linkKey }: ServeOptions = {},
): Promise<Serving> {
  const host = config.get('server.host')
  const port = config.get('server.port')
  const adminKey = config.get('server.admin_key')
  const loopback = isLoopback(host)
  if (!loopback && adminKey === undefined && (await store.keys.keysRequiredSince()) === undefined)
    throw withoutKey(host)
  // Imported on demand: other commands do not need Fastify.
  const { buildServer } = await import('../../server/app.js')
  const basePath = config.get('server.base_path')
  const app = buildServer(store, {
    loopback,
    readOnly,
    basePath,
    trustProxy: config.get('server.trust_proxy'),
    ...(linkKey === undefined ? {} : { linkKey }),
    chores: upkeep,
    ...(adminKey === undefined ? {} : { adminKey }),
    redact: (config.get('server.redact') ?? '').split(/,\s*/).filter((pointer) => pointer !== ''),
    webhooks: webhookOptionsOf(config),
    settingOrigin: (name) => config.overrides(name)?.origin,
    log: log.below,
  })
  try {
    await app.listen({ host, port })
  } catch (error) {
    await app.close()
    throw cannotListen(error as NodeJS.ErrnoException, host, port)
  }
  const address = app.server.address() as { port: number }
  const url = addressOf(host, address.port)
  const dashboard = `${url}${basePathOf(basePath)}`
  return { url, dashboard, close: () => app.close() }
}

/** Fails if the port cannot be used, before a database is started. */
export async function checkPort(config: Config): Promise<void> {
  const host = config.get('server.host')
  const port = config.get('server.port')
  const probe = createServer()
  try {
    probe.listen({ host, port })
    await once(probe, 'listening')
  } catch (error) {
    throw cannotListen(error as NodeJS.ErrnoException, host, port)
  }
  probe.close()
  await once(probe, 'close')
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}

/** A URL that a browser can open; 0.0.0.0 becomes localhost. */
export function addressOf(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://localhost:${port}`
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

function withoutKey(host: string): CommandError {
  return new CommandError({
    code: 'no_key',
    message: `This server would be reachable at ${host} without an API key.`,
    remedy:
      'Create one with `holdfast keys create root --scope admin --every-tenant`, set HOLDFAST_ADMIN_KEY, or use --host 127.0.0.1.',
    exitCode: EXIT.config,
  })
}

const REASONS: Record<string, (host: string, port: number) => string> = {
  EADDRINUSE: (_host, port) => `Port ${port} is in use by another program.`,
  EACCES: (_host, port) => `This user may not listen on port ${port}.`,
  EADDRNOTAVAIL: (host) => `${host} is not an address of this machine.`,
  ENOTFOUND: (host) => `${host} is not an address of this machine.`,
}

/** The command that shows which program has the port. */
function holderHint(port: number): string {
  const command = process.platform === 'win32' ? `netstat -ano | findstr :${port}` : `lsof -i :${port}`
  return ` \`${command}\` shows which program uses it.`
}

export function cannotListen(
  error: NodeJS.ErrnoException,
  host: string,
  port: number,
  flags = '--port or --host (PORT, HOST)',
): Error {
  const message = REASONS[error.code ?? '']?.(host, port)
  if (message === undefined) return error
  return new CommandError({
    code: error.code === 'EADDRINUSE' ? 'port_taken' : 'cannot_listen',
    message,
    remedy: `Choose another with ${flags}; port 0 picks a free one.${error.code === 'EADDRINUSE' ? holderHint(port) : ''}`,
    exitCode: EXIT.config,
  })
}
