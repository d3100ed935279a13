// Where and of what the numbers were measured. Without it a number cannot be compared with another.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import { NODE } from './launch.js'

const root = fileURLToPath(new URL('..', import.meta.url))

export function machineFacts() {
  const processors = cpus()
  return {
    cpu: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: execFileSync(NODE, ['--version'], { encoding: 'utf8' }).trim(),
  }
}

export function commitFacts() {
  try {
    const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
    // What the bench itself writes does not make the measured code another one.
    const changed = git('status', '--porcelain', '--', '.', ':!bench/results', ':!docs/benchmarks.md')
    return { commit: git('rev-parse', 'HEAD'), dirty: changed !== '' }
  } catch {
    return { commit: null, dirty: null }
  }
}

export function peerVersion(name) {
  try {
    return JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url), 'utf8'))
      .version
  } catch {
    return null
  }
}
