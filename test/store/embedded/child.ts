// Runs the launcher in processes of its own, because what matters here is what survives the death of one.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { EmbeddedOptions } from 'holdfast/embedded'

const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))))

interface Answer {
  url: string
  pid: number
  dataDir: string
  adopted: boolean
  notes: string[]
  error?: { name: string; code: string; message: string; holderPid?: number }
}

export interface Child {
  process: ChildProcess
  answer: Answer
  /** Ends in the named way and waits until the process is gone. */
  end(how: 'exit' | 'SIGKILL'): Promise<void>
}

// Calls the function named, says how it went in one line, then stays until told to leave.
const SCRIPT = `
const [file, verb, argument] = process.argv.slice(1)
const embedded = await import(file)
try {
  const result = await embedded[verb](JSON.parse(argument))
  console.log(JSON.stringify(typeof result === 'function' ? {} : result))
} catch ({ name, code, message, holderPid }) {
  console.log(JSON.stringify({ error: { name, code, message, holderPid } }))
}
process.stdin.on('data', () => process.exit(0))
`

/** A folder with the compiled launcher: plain Node cannot run TypeScript, and dist may be older than src. */
export function compile(): { file: string; remove(): void } {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-compiled-'))
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
  const options =
    '--ignoreConfig --noCheck --target es2022 --module nodenext --skipLibCheck --types node'.split(' ')
  const paths = ['--rootDir', join(root, 'src'), '--outDir', dir]
  writeFileSync(join(dir, 'package.json'), '{"type":"module"}')
  symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'))
  execFileSync(process.execPath, [tsc, join(root, 'src', 'embedded.ts'), ...paths, ...options], { cwd: root })
  return { file: join(dir, 'embedded.js'), remove: () => rmSync(dir, { recursive: true, force: true }) }
}

export async function call(
  file: string,
  verb: 'startEmbedded' | 'lockFolder',
  argument: EmbeddedOptions | string,
  env: Record<string, string> = {},
): Promise<Child> {
  const args = ['--input-type=module', '-e', SCRIPT, file, verb, JSON.stringify(argument)]
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const gone = new Promise<void>((resolve) => child.on('close', () => resolve()))
  const lines = createInterface({ input: child.stdout })
  const first = new Promise<string>((resolve, reject) => {
    lines.on('line', resolve)
    lines.on('close', () => reject(new Error('The child ended without an answer')))
  })
  const end = (how: 'exit' | 'SIGKILL') => {
    if (how === 'SIGKILL') child.kill(how)
    else child.stdin.end('leave\n')
    return gone
  }
  return { process: child, answer: JSON.parse(await first) as Answer, end }
}

/** A `postgres` and an `initdb` that leave a trace when somebody runs them. */
export function plantTraps(dir: string): { trace: string } {
  mkdirSync(dir, { recursive: true })
  const trace = join(dir, 'trace')
  for (const name of ['postgres', 'initdb', 'pg_ctl', 'sh']) {
    writeFileSync(join(dir, name), `#!/bin/sh\necho ${name} >> ${trace}\nexit 1\n`, { mode: 0o755 })
  }
  return { trace }
}
