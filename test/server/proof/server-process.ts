/** `holdfast server` as a process of its own, watched from outside: what it says, how much memory it has, whether it lives. */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))

export interface ServerProcess {
  readonly url: string
  readonly key: string
  /** In MB, as the system counts what is resident. */
  rssMb(): number
  /** Lines of its log at these levels, and all of its stderr: an unhandled rejection would be there. */
  readonly complaints: string[]
  isAlive(): boolean
  /** Lets it collect its garbage, so that what it has then is what it keeps; for one that was started with COLLECTING. */
  collect(): Promise<void>
  /** Ends it as an operator does; answers its exit code. */
  stop(): Promise<number | null>
}

/** Twice, because what the first pass finds is given back to the system by the second. */
const COLLECT = `process.on('SIGUSR2', () => {
  gc()
  setTimeout(() => {
    gc()
    console.log(JSON.stringify({ level: 'info', msg: 'collected' }))
  }, 200)
})`
export const COLLECTING = ['--expose-gc', '--import', `data:text/javascript,${encodeURIComponent(COLLECT)}`]

const KEY = 'an-admin-key-for-the-proof-only'

export async function startServer(
  databaseUrl: string,
  nodeFlags: readonly string[] = [],
): Promise<ServerProcess> {
  const env = { ...process.env, DATABASE_URL: databaseUrl, HOLDFAST_ADMIN_KEY: KEY, PORT: '0' }
  const child = spawn(process.execPath, [...nodeFlags, MAIN, 'server', '--json'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const complaints: string[] = []
  let collected = () => {}
  child.stderr.setEncoding('utf8').on('data', (text: string) => complaints.push(text))
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve))
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (text) => {
      const line = JSON.parse(text) as { level: string; msg: string; url?: string }
      if (line.msg === 'collected') collected()
      if (line.msg === 'serving' && line.url !== undefined) resolve(line.url)
      if (line.level === 'error' || line.level === 'fatal') complaints.push(text)
    })
    void ended.then((code) => reject(new Error(`the server ended with ${code}: ${complaints.join('')}`)))
  })
  return {
    url,
    key: KEY,
    rssMb: () => rssMb(child),
    complaints,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    collect: () =>
      new Promise((resolve) => {
        collected = resolve
        child.kill('SIGUSR2')
      }),
    stop: () => {
      child.kill('SIGTERM')
      return ended
    },
  }
}

function rssMb({ pid }: ChildProcess): number {
  const [, kib] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kib) / 1024
}

/** The most it has while something goes on. */
export async function peakMb(server: ServerProcess, work: () => Promise<unknown>): Promise<number> {
  let peak = server.rssMb()
  const look = setInterval(() => {
    peak = Math.max(peak, server.rssMb())
  }, 50)
  try {
    await work()
    return Math.max(peak, server.rssMb())
  } finally {
    clearInterval(look)
  }
}
