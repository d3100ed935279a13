/** The commands of a document, run with curl from top to bottom against a server, and what the document shows as their answers. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'

export interface Block {
  readonly code: string
  /** What the document shows after it; '' if nothing. */
  readonly shows: string
}

/** Each ```sh run with the ```json output or ```sh output that follows it. */
export function blocksIn(file: URL): Block[] {
  const text = readFileSync(file, 'utf8')
  const fences = [...text.matchAll(/^```(sh run|json output|sh output)\n([\s\S]*?)^```$/gm)]
  return fences.flatMap(([, role, code = ''], index) => {
    if (role !== 'sh run') return []
    const next = fences[index + 1]
    return [{ code, shows: next?.[1] === 'sh run' ? '' : (next?.[2] ?? '') }]
  })
}

const MARK = '--- end of a block ---'

/** Runs the blocks as one script; answers what each printed. A command that fails ends it. */
export async function runBlocks(blocks: readonly Block[], env: Record<string, string>): Promise<string[]> {
  const script = blocks.map(({ code }) => `${code}\necho; echo '${MARK}'`)
  const shell = spawn('bash', ['--norc', '-eu', '-o', 'pipefail', '-c', script.join('\n')], {
    env: { ...process.env, ...env },
  })
  const printed = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    shell[name].setEncoding('utf8').on('data', (chunk: string) => {
      printed[name] += chunk
    })
  const code = await new Promise((resolve, reject) => {
    shell.on('error', reject)
    shell.on('close', resolve)
  })
  if (code !== 0 || printed.stderr !== '')
    throw new Error(`the script ended with ${code}: ${printed.stderr}\n${printed.stdout}`)
  return printed.stdout.replaceAll('\r', '').split(MARK).slice(0, blocks.length)
}

/** JSON objects one after the other, however they are laid out; other text as it is. */
export function valuesIn(text: string): unknown {
  const shown = text.trim()
  return shown.startsWith('{') ? JSON.parse(`[${shown.replace(/\}\s*\{(?=\s*")/g, '},{')}]`) : shown
}

/** What is shown, where "…" stands for any value: an id of a request, a time with jitter. */
export function withPlaceholders(shown: unknown, real: unknown): unknown {
  if (shown === '…') return real === undefined || real === null ? shown : real
  if (Array.isArray(shown)) return shown.map((each, n) => withPlaceholders(each, (real as unknown[])?.[n]))
  if (typeof shown !== 'object' || shown === null) return shown
  return Object.fromEntries(
    Object.entries(shown).map(([name, value]) => [
      name,
      withPlaceholders(value, (real as Record<string, unknown>)?.[name]),
    ]),
  )
}
