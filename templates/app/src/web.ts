/** The web process: takes signups, reports the state of a job, and mounts the dashboard of Holdfast for operators. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type App, HoldfastError } from 'holdfast'
import { dashboard, nodeListener } from 'holdfast/dashboard'
import { z } from 'zod'
import { signUp } from './signups.js'

const DASHBOARD = '/ops/jobs'
const BODY_BYTES_MAX = 10_000

export interface Web {
  readonly url: string
  close(): Promise<void>
}

export async function startWeb(app: App, env = process.env): Promise<Web> {
  const { PORT = '3000', HOST = '127.0.0.1', DASHBOARD_PASSWORD: password } = env
  const board = dashboard(app, { basePath: DASHBOARD, actor: () => 'operator' })
  const showDashboard = nodeListener(board)
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname
    try {
      if (path !== DASHBOARD && !path.startsWith(`${DASHBOARD}/`))
        return await answer(app, path, request, response)
      if (mayOperate(request, password)) return await showDashboard(request, response)
      response
        .writeHead(401, { 'www-authenticate': 'Basic realm="jobs"' })
        .end('Sign in to see the dashboard.\n')
    } catch (error) {
      console.error(error)
      if (response.headersSent) response.destroy()
      else sendJson(response, 500, { error: 'internal error' })
    }
  })
  server.listen({ port: Number(PORT), host: HOST })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://localhost:${port}`,
    // Completes the requests in progress.
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      await board.close()
      await closed
    },
  }
}

async function answer(
  app: App,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const jobId = /^\/jobs\/(\d{1,15})$/.exec(path)?.[1]
  if (request.method === 'GET' && path === '/') {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(HOME)
  } else if (request.method === 'POST' && path === '/signups') {
    const body = Signup.safeParse(await readBody(request))
    if (!body.success) return sendJson(response, 400, { error: z.prettifyError(body.error) })
    const signup = await signUp(app, body.data.email)
    if (signup === undefined) sendJson(response, 409, { error: 'this address has signed up already' })
    else sendJson(response, 202, { job: signup.jobId, state: `/jobs/${signup.jobId}` })
  } else if (request.method === 'GET' && jobId !== undefined) {
    const state = await stateOf(app, Number(jobId))
    if (state === undefined) sendJson(response, 404, { error: 'no such job' })
    else sendJson(response, 200, { job: Number(jobId), state })
  } else sendJson(response, 404, { error: 'not found' })
}

const Signup = z.object({ email: z.email() })

/** JSON, or the fields of a form; undefined if it is neither. */
async function readBody(request: IncomingMessage): Promise<unknown> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk
    if (text.length > BODY_BYTES_MAX) return undefined
  }
  if (!request.headers['content-type']?.startsWith('application/json'))
    return Object.fromEntries(new URLSearchParams(text))
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function stateOf(app: App, jobId: number): Promise<string | undefined> {
  try {
    return await app.handle(jobId).status()
  } catch (error) {
    if (error instanceof HoldfastError && error.code === 'unknown_job') return undefined
    throw error
  }
}

/**
 * The dashboard can read and change every job. Replace this with the login of your app. With a password it asks for HTTP Basic, with any
 * user name; without one it serves only programs of this machine.
 */
function mayOperate({ headers, socket }: IncomingMessage, password: string | undefined): boolean {
  if (password) {
    const [, encoded = ''] = /^Basic (.+)$/.exec(headers.authorization ?? '') ?? []
    const given = Buffer.from(encoded, 'base64')
      .toString()
      .replace(/^[^:]*:/, '')
    const digest = (text: string) => createHash('sha256').update(text).digest()
    return timingSafeEqual(digest(given), digest(password))
  }
  const local = /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/.test(socket.remoteAddress ?? '')
  // The name of the host is checked, too: a page of another site could point its own name at this machine.
  return local && /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(headers.host ?? '')
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`)
}

const HOME = `<!doctype html>
<html lang="en">
<meta name="viewport" content="width=device-width">
<title>holdfast-app</title>
<h1>holdfast-app</h1>
<form method="post" action="/signups">
  <label>Email <input type="email" name="email" required></label>
  <button>Sign up</button>
</form>
<p><a href="${DASHBOARD}">Dashboard of the jobs</a></p>
</html>
`
