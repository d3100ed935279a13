/** The curl commands of an example's README, run as they stand there, against an example that runs elsewhere. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { StartedExample } from '../support/run-example.js'

export interface CommandStatus {
  readonly command: string
  /** What the comment behind the command begins with, or else 200. */
  readonly expected: number
  readonly status: number
}

export async function runReadme(name: string, example: StartedExample): Promise<CommandStatus[]> {
  const file = fileURLToPath(new URL(`../../examples/${name}/README.md`, import.meta.url))
  const url = await example.url()
  const commands = [...readFileSync(file, 'utf8').matchAll(/^curl (.*?)(?:\s+# (.*))?$/gm)]
  const results: CommandStatus[] = []
  for (const [command, args = '', comment = ''] of commands) {
    const here = args
      .replaceAll('http://127.0.0.1:8080', url)
      .replaceAll(`.holdfast/examples/${name}`, example.out)
    const line = `curl -sS -o /dev/null -w '%{http_code}' ${here}`
    const { stdout } = await promisify(execFile)('sh', ['-c', line])
    results.push({ command, expected: Number(/^\d{3}/.exec(comment)?.[0] ?? 200), status: Number(stdout) })
  }
  return results
}
