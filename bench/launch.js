// Every contender, ours as well, runs in a process of its own: it gets a plan as JSON on stdin and answers with JSON lines
// on stdout, `{"progress": n}` on the way and `{"results": [...]}`, one per step of the plan, at the end.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** One Node for everybody: that which the peers ask for. It comes from npm as well, so that nobody has to install one. */
export const NODE = fileURLToPath(new URL('node_modules/node/bin/node', import.meta.url))

const children = new Set()

export function launchOurs(plan, options = {}) {
  return launch(new URL('ours/main.js', import.meta.url), plan, options)
}

export function launchPeer(file, plan, options = {}) {
  return launch(new URL(`peers/${file}`, import.meta.url), plan, options)
}

/** On the way out, however that is: nothing we started stays behind. */
export function endChildren() {
  for (const child of children) child.kill('SIGKILL')
}

async function launch(file, plan, { onProgress = () => {}, withinMs = 30 * 60_000 } = {}) {
  if (!existsSync(NODE)) {
    throw new Error('the bench is not installed: run scripts/provision, or npm ci --prefix bench')
  }
  const child = spawn(NODE, [fileURLToPath(file)], { stdio: ['pipe', 'pipe', 'pipe'] })
  children.add(child)
  let results
  let errors = ''
  child.stderr.on('data', (chunk) => {
    errors = `${errors}${chunk}`.slice(-4_000)
  })
  child.stdin.on('error', () => {})
  child.stdin.end(JSON.stringify(plan))
  const timer = setTimeout(() => child.kill('SIGKILL'), withinMs)
  const exit = new Promise((resolve) => {
    child.on('error', (error) => resolve(error.message))
    child.on('close', (code, signal) => resolve(code === 0 ? '' : `ended with ${signal ?? code}`))
  })
  for await (const line of createInterface({ input: child.stdout })) {
    // A library may write to stdout too; only our own lines are JSON objects with these names.
    const message = parse(line)
    if (message?.results) results = message.results
    else if (message && 'progress' in message) onProgress(message.progress)
  }
  const failed = await exit
  clearTimeout(timer)
  children.delete(child)
  if (failed || !results) throw new Error(`${failed || 'gave no results'}: ${lastError(errors)}`)
  return results
}

function parse(line) {
  if (!line.startsWith('{')) return undefined
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** The line that says what went wrong, without the stack below it. */
function lastError(text) {
  const lines = text.trim().split('\n')
  return (lines.findLast((line) => /\w*Error\b|error:/.test(line)) ?? lines.at(-1) ?? '').trim().slice(0, 400)
}
