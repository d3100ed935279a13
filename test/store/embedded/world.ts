// A fresh folder per test, and nothing left running after it.
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type EmbeddedPostgres, findEmbedded, startEmbedded } from 'holdfast/embedded'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { type Child, call, compile } from './child.js'

type CallArguments = Parameters<typeof call> extends [string, ...infer Rest] ? Rest : never

export const isRoot = process.getuid?.() === 0
const binDir = process.env.HOLDFAST_TEST_PG_BIN_DIR
const version = binDir ? { binDir } : {}

let compiled: ReturnType<typeof compile>
export let home: string
export let dir: string
let servers: EmbeddedPostgres[]
let children: Child[]

/** Called by each file: files of one worker share this module, and its hooks would be those of the first one only. */
export function embeddedWorld(): void {
  beforeAll(() => {
    compiled = compile()
  })
  afterAll(() => compiled.remove())

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'holdfast-test-'))
    chmodSync(home, 0o755)
    dir = join(home, '.holdfast', 'pg')
    servers = []
    children = []
  })

  afterEach(async () => {
    for (const child of children) await child.end('SIGKILL')
    for (const server of servers) await server.stop()
    // Whatever a killed child left running is adopted, which is also the tidy way to end it.
    if (await findEmbedded({ dir })) await (await startEmbedded({ dir, ...version })).stop()
    removeOutsideData()
    rmSync(home, { recursive: true, force: true })
  })
}

export async function start(options: Parameters<typeof startEmbedded>[0] = {}): Promise<EmbeddedPostgres> {
  const server = await startEmbedded({ dir, ...version, ...options })
  servers.push(server)
  return server
}

function removeOutsideData(): void {
  const file = join(dir, 'connection.json')
  if (!existsSync(file)) return
  const { dataDir } = JSON.parse(readFileSync(file, 'utf8')) as { dataDir: string }
  if (!dataDir.startsWith(home)) rmSync(dirname(dataDir), { recursive: true, force: true })
}

export async function startInChild(options = {}, env: Record<string, string> = {}): Promise<Child> {
  return callInChild('startEmbedded', { dir, ...version, ...options }, env)
}

export async function callInChild(...[verb, argument, env]: CallArguments): Promise<Child> {
  const child = await call(compiled.file, verb, argument, env)
  children.push(child)
  return child
}

export async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !/\) Z /.test(existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'latin1') : '')
  } catch {
    return false
  }
}

export async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 20_000
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`Not within 20 s: ${condition}`)
    await new Promise((wake) => setTimeout(wake, 20))
  }
}
