// The app that `holdfast init` creates, as a user has it: the packed package creates it, npm installs it, it compiles, its tests pass,
// and `npm run dev` runs a job that was enqueued over HTTP.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findEmbedded } from 'holdfast/embedded'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const place = mkdtempSync(join(tmpdir(), 'holdfast-init-'))
const app = join(place, 'user', 'shop')
let created = { name: '', next: [] as string[] }

// npm hands its settings to the programs it runs; those of this test run are not the user's.
const ENV = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(npm_(?!config_(registry|cache))|NODE_ENV|VITEST|DATABASE_URL|NO_COLOR)/i.test(name),
  ),
)
const INSTALL = ['install', '--prefer-offline', '--no-audit', '--no-fund']

async function npm(args: string[], cwd: string): Promise<string> {
  const shell = process.platform === 'win32'
  try {
    return (await promisify(execFile)('npm', args, { cwd, env: ENV, shell, maxBuffer: 1e7 })).stdout
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error(`npm ${args.join(' ')}\n${stdout}\n${stderr}`, { cause: error })
  }
}

beforeAll(async () => {
  // As root, Postgres runs under another account, which has to pass through.
  chmodSync(place, 0o755)
  const user = join(place, 'user')
  mkdirSync(user)
  await npm(['pack', '--pack-destination', place], root)
  const tarball = readdirSync(place).find((name) => name.endsWith('.tgz')) ?? ''
  writeFileSync(join(user, 'package.json'), JSON.stringify({ name: 'user', private: true }))
  await npm([...INSTALL, join(place, tarball)], user)
  const flags = ['--package', `file:../../${tarball}`, '--json']
  created = JSON.parse(await npm(['exec', '--', 'holdfast', 'init', 'shop', ...flags], user))
  await npm(INSTALL, app)
}, 600_000)

afterAll(() => rmSync(place, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }), 600_000)

it('compiles without an error, and its own tests pass', async () => {
  expect(created).toMatchObject({ name: 'shop', next: ['cd shop', 'npm install', 'npm test', 'npm run dev'] })
  // `npm test` compiles first, and a type error fails it.
  expect(await npm(['test'], app)).toMatch(/^# pass 3\n# fail 0$|^ℹ pass 3\nℹ fail 0$/m)
  // The compiler does check it: a mistake in an input is refused.
  const wrong = join(app, 'src', 'wrong.ts')
  onTestFinished(() => rmSync(wrong))
  writeFileSync(
    wrong,
    `import { welcome } from './jobs.js'\nimport type { App } from 'holdfast'\n
    export const wrong = (app: App) => app.enqueue(welcome, { mail: 'ada@example.org' })\n`,
  )
  await expect(npm(['run', 'build'], app)).rejects.toThrow(/src\/wrong\.ts.*TS2[35]/)
})

it('runs with `npm run dev`: a signup over HTTP is welcomed by a job, and Ctrl-C stops everything', async () => {
  const dev = startDev()
  const [, url = ''] = await dev.printed(/^web: (http:\S+), dashboard: /)
  await dev.printed(/^worker: runs welcome, digest$/)

  const post = (email: string) =>
    fetch(`${url}/signups`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email }),
    })
  const answer = await post('ada@example.org')
  expect(answer.status).toBe(202)
  const { state: path } = (await answer.json()) as { state: string }
  const stateOf = async () => ((await (await fetch(url + path)).json()) as { state: string }).state
  await expect.poll(stateOf).toBe('succeeded')
  await dev.printed(/^mail to ada@example\.org: Welcome$/)
  expect((await post('ada@example.org')).status).toBe(409)
  expect((await post('not an address')).status).toBe(400)
  expect((await fetch(`${url}/jobs/999999`)).status).toBe(404)

  // The dashboard is for this machine while no password is set.
  const page = await fetch(`${url}/ops/jobs/`, { headers: { accept: 'text/html' } })
  expect({ status: page.status, html: (await page.text()).includes('<html') }).toEqual({
    status: 200,
    html: true,
  })
  const schedules = await (await fetch(`${url}/ops/jobs/api/v1/schedules`)).text()
  expect(schedules).toContain('daily-digest')

  await dev.stop()
  await dev.printed(/^stopping: /)
  // Neither the app nor its database is left behind.
  await expect(fetch(url)).rejects.toThrow()
  expect(await findEmbedded({ dir: join(app, '.holdfast', 'pg') })).toBeUndefined()
})

it('asks for the password of the dashboard where one is set', async () => {
  const dev = startDev({ DASHBOARD_PASSWORD: 'open sesame' })
  const [, url = ''] = await dev.printed(/^web: (http:\S+), dashboard: /)
  const statusWith = async (password?: string) => {
    const authorization = `Basic ${Buffer.from(`ada:${password}`).toString('base64')}`
    const headers = password === undefined ? {} : { authorization }
    return (await fetch(`${url}/ops/jobs/api/v1/queues`, { headers })).status
  }
  expect(await statusWith()).toBe(401)
  expect(await statusWith('wrong')).toBe(401)
  expect(await statusWith('open sesame')).toBe(200)
  await dev.stop()
  await dev.printed(/^stopping: /)
})

/** `npm run dev`, with the lines that it prints. */
function startDev(env: Record<string, string> = {}) {
  const shell = process.platform === 'win32'
  const options = { cwd: app, env: { ...ENV, PORT: '0', ...env }, shell, detached: !shell }
  const child: ChildProcess = spawn('npm', ['run', '--silent', 'dev'], options)
  const lines: string[] = []
  const waiting = new Set<() => void>()
  let over = false
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream as NodeJS.ReadableStream }).on('line', (line) => {
      lines.push(line)
      for (const look of waiting) look()
    })
  const end = new Promise<number | null>((resolve) => child.on('close', resolve))
  void end.then(() => {
    over = true
  })
  // As Ctrl-C in a terminal: npm and the program get the signal. npm does not pass on one that it alone gets.
  const stop = async () => {
    if (!over) process.kill(-(child.pid as number), 'SIGINT')
    await end
  }
  onTestFinished(stop)
  const printed = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const found = lines.map((line) => pattern.exec(line)).find((match) => match !== null)
        if (found) resolve(found)
      }
      waiting.add(look)
      look()
      void end.then(() => reject(new Error(`it ended without ${pattern}:\n${lines.join('\n')}`)))
    })
  return { stop, printed }
}
