/** `holdfast docs`: the documentation site on this machine, offline. It needs no database. */
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { CommandError, EXIT } from '../failure.js'
import { usageError, withExamples } from '../flags.js'
import type { CommandContext } from '../program.js'
import { openInBrowser } from '../terminal/browser.js'
import { addressOf, cannotListen } from './serve.js'

interface Flags {
  readonly port: string
  readonly open?: boolean
  readonly json?: boolean
}

/** The same folder from the sources and from the package. */
const FOLDER = fileURLToPath(new URL('../../../dist/docs', import.meta.url))
const HOST = '127.0.0.1'
/** Beside a server (8080) and a dashboard (8081). */
const PORT = '8082'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
}

export function docsCommand(context: CommandContext): Command {
  const command = new Command('docs')
    .description('serve this documentation as a site until stopped')
    .option('--port <n>', 'port to listen on; 0 picks a free one', PORT)
    .option('--open', 'open it in the browser')
    .option('--json', 'print JSON')
    .action((flags: Flags) => docs(flags, context))
  return withExamples(command, 'holdfast docs --open')
}

async function docs(flags: Flags, { terminal, signal, interruption }: CommandContext): Promise<void> {
  const port = Number(flags.port)
  if (!/^\d{1,5}$/.test(flags.port) || port > 65_535)
    throw usageError(`"${flags.port}" is not a port.`, 'Give a number from 0 to 65535.')
  const files = siteFiles(FOLDER)
  if (!files.has('index.html')) throw notBuilt()
  const server = createServer((request, response) => sendFile(files, FOLDER, request, response))
  try {
    server.listen({ host: HOST, port })
    await once(server, 'listening')
  } catch (error) {
    throw cannotListen(error as NodeJS.ErrnoException, HOST, port, '--port')
  }
  const url = `${addressOf(HOST, (server.address() as { port: number }).port)}/`
  if (flags.json === true) terminal.out(JSON.stringify({ url }))
  else terminal.out(`The documentation is at ${url}\nCtrl-C stops.`)
  if (flags.open === true && !(await openInBrowser(url)))
    terminal.err('There is no browser to open here: open the address yourself.')
  if (!signal.aborted) await once(signal, 'abort')
  server.close()
  server.closeAllConnections()
  interruption.drainedCleanly()
}

/** The names of the files of the site. What is not among them is never opened, so a path cannot leave the folder. */
export function siteFiles(folder: string): ReadonlySet<string> {
  try {
    const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    return new Set(
      names
        .filter((entry) => entry.isFile())
        .map((entry) =>
          join(entry.parentPath, entry.name)
            .slice(folder.length + 1)
            .replaceAll('\\', '/'),
        ),
    )
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Set()
    throw error
  }
}

/** Exported for the test that serves a folder of its own. */
export function sendFile(
  files: ReadonlySet<string>,
  folder: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD' }).end()
    return
  }
  const path = decoded((request.url ?? '/').replace(/[?#].*$/, '')).slice(1)
  const found = [path, `${path}index.html`, `${path}.html`].find((name) => files.has(name))
  const name = found ?? '404.html'
  const body = files.has(name) ? readFileSync(join(folder, name)) : Buffer.from('Not found\n')
  response.writeHead(found === undefined ? 404 : 200, {
    'content-type': (files.has(name) && TYPES[extname(name)]) || 'text/plain; charset=utf-8',
    'content-length': body.byteLength,
    'x-content-type-options': 'nosniff',
    // Names in assets/ change with their content.
    'cache-control': path.startsWith('assets/') ? 'max-age=31536000, immutable' : 'no-cache',
  })
  response.end(request.method === 'HEAD' ? undefined : body)
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

function notBuilt(): CommandError {
  return new CommandError({
    code: 'docs_not_built',
    message: 'The documentation site is not part of this copy of Holdfast.',
    remedy:
      'In a clone of the repository, run `npm run docs:build`, and try again. The pages are also in its folder docs.',
    exitCode: EXIT.config,
  })
}
