// Servers in processes of their own. Ours is `holdfast server` as its users start it, on its defaults, and called with a key of its own
// table; the other is bare-server.js.
import { fork } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { cpuSecondsOf } from '../meter.js'
import { withStore } from '../ours/with-store.js'

const file = (name) => fileURLToPath(new URL(name, import.meta.url))

/** Runs `work` with our server and a key for these scopes. */
export async function withOurs(plan, scopes, work) {
  const { secret } = await withStore(plan, 1, (store) => store.keys.create({ name: 'bench', scopes }))
  const env = { ...process.env, DATABASE_URL: plan.url }
  const child = fork(file('our-server.js'), ['server', '--port', '0', '--json'], { silent: true, env })
  return withChild(child, (server) =>
    work({ ...server, headers: { authorization: `Bearer ${secret}` }, key: secret }),
  )
}

export function withBare(plan, settings, work) {
  const child = fork(file('bare-server.js'), [JSON.stringify({ url: plan.url, ...settings })], {
    silent: true,
  })
  return withChild(child, (server) => work({ ...server, headers: {} }))
}

async function withChild(child, work) {
  let errors = ''
  child.stderr.on('data', (chunk) => {
    errors = `${errors}${chunk}`.slice(-2_000)
  })
  const gone = new Promise((resolve) => child.on('exit', resolve))
  try {
    const url = await Promise.race([addressOf(child), gone.then(() => undefined)])
    if (url === undefined) throw new Error(`the server did not start: ${errors}`)
    return await work({ url, cpuSeconds: () => cpuSecondsOf(child.pid) })
  } finally {
    child.kill('SIGTERM')
    await gone
  }
}

/** Both servers say it in a line of JSON. */
async function addressOf(child) {
  for await (const line of createInterface({ input: child.stdout })) {
    const { url } = line.startsWith('{') ? JSON.parse(line) : {}
    if (url === undefined) continue
    child.stdout.resume()
    return url
  }
}

/** What the server's process took of the CPU for each job while `work` ran. */
export async function withServerCpu({ cpuSeconds }, work) {
  const before = cpuSeconds()
  const result = await work()
  const seconds = cpuSeconds() - before
  return { ...result, serverCpuUs: (seconds * 1e6) / result.jobs }
}
