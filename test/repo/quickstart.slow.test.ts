// docs/quickstart.md, played in an empty folder with the packed package: its files are written, its commands run, and what they print
// is what the page shows.
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { findEmbedded } from 'holdfast/embedded'
import { expect, it, onTestFinished } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(join(root, 'docs', 'quickstart.md'), 'utf8')

interface Block {
  /** `play` runs to its end, `start` runs until a later command stops it, `shows` is what the command before it prints. */
  readonly role: 'play' | 'start' | 'shows' | 'file'
  readonly code: string
  readonly file: string
}

const blocks: Block[] = [...page.matchAll(/^```\w+ (\w+)(?:=(\S+))?\n([\s\S]*?)^```$/gm)].map(
  ([, role, file = '', code = '']) => ({ role: role as Block['role'], code, file }),
)

// npm hands its settings to the programs it runs; those of this test run are not the user's.
const env = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(npm_(?!config_(registry|cache))|NODE_ENV|NODE_OPTIONS|VITEST|DATABASE_URL)/i.test(name),
    ),
  ),
  npm_config_prefer_offline: 'true',
  NO_COLOR: '1',
  // Any free port: the one of the page may be in use here.
  PORT: '0',
}

it('the quickstart runs as it is written', { timeout: 600_000 }, async () => {
  const place = mkdtempSync(join(tmpdir(), 'holdfast-quickstart-'))
  // As root, Postgres runs under another account, which has to pass through.
  chmodSync(place, 0o755)
  let folder = place
  onTestFinished(async () => {
    const left = await findEmbedded({ dir: join(folder, '.holdfast', 'pg') })
    if (left) process.kill(left.pid, 'SIGQUIT')
    rmSync(place, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  })
  await play(`npm pack --pack-destination ${place}`, root)

  let up: ReturnType<typeof startUp> | undefined
  let printed = ''
  for (const { role, code, file } of blocks) {
    if (role === 'file') {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      writeFileSync(join(folder, file), code)
    } else if (role === 'start') {
      up = startUp(code, folder)
      await checkDashboard(await up.dashboard)
    } else if (role === 'shows') {
      expect(tidy(printed)).toMatch(patternOf(code))
    } else {
      const played = await play(code, folder)
      printed = played.printed
      folder = played.folder
    }
  }
  // `down` ended it; its work was done.
  expect(await up?.end).toBe(0)
  expect(folder).toBe(join(place, 'my-jobs'))
  expect(blocks.map(({ role }) => role).filter((role) => role === 'shows')).toHaveLength(6)
})

/** What the commands print, and the folder in which they leave the shell. */
async function play(commands: string, cwd: string): Promise<{ printed: string; folder: string }> {
  const shell = spawn('bash', ['--norc', '-eu', '-c', `${commands}\npwd >&3`], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  })
  const text = ['', '', '', '']
  for (const n of [1, 2, 3])
    shell.stdio[n]?.on('data', (chunk: Buffer) => {
      text[n] += chunk.toString()
    })
  const code = await new Promise((resolve) => shell.on('close', resolve))
  if (code !== 0) throw new Error(`${commands}exit code ${code}\n${text.join('\n')}`)
  return { printed: text[1] ?? '', folder: (text[3] ?? '').trim() }
}

/** A command that runs until another one ends it. In a pipe it prints JSON lines, and the first has the addresses. */
function startUp(command: string, cwd: string) {
  const child: ChildProcess = spawn('bash', ['--norc', '-c', `exec ${command}`], { cwd, env })
  const end = new Promise<number | null>((resolve) => child.on('close', resolve))
  const lines: string[] = []
  const dashboard = new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      lines.push(line)
      const { event, dashboard: address } = JSON.parse(line)
      if (event === 'up_started') resolve(address)
    })
    void end.then(() => reject(new Error(`it ended: ${lines.join('\n')}`)))
  })
  return { end, dashboard }
}

/** The page names the address with the usual port. */
async function checkDashboard(address: string): Promise<void> {
  const port = /^port = (\d+)$/m.exec(readFileSync(join(root, 'config', 'default.toml'), 'utf8'))?.[1]
  expect(page).toContain(`<${address.replace(/:\d+\//, `:${port}/`)}>`)
  const answer = await fetch(address, { headers: { accept: 'text/html' } })
  expect(answer.status).toBe(200)
  expect(await answer.text()).toContain('<html')
}

/** Columns are as wide as their longest value, which differs. */
const tidy = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim().replace(/\s+/g, ' '))
    .join('\n')
    .trim()

/** … alone on a line is any number of lines; within a line it is any text. */
function patternOf(shown: string): RegExp {
  const lines = tidy(shown)
    .split('\n')
    .map((line) =>
      line === '…'
        ? '[\\s\\S]*'
        : line
            .split('…')
            .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
            .join('.+'),
    )
  return new RegExp(`^${lines.join('\\n')}$`)
}
