// When, of which commit and where a proof was run.
import { execFileSync } from 'node:child_process'
import { cpus, release, totalmem } from 'node:os'

/** `parts` are the folders on which the proof depends: what is changed there is not the commit's. */
export function circumstances(root, parts) {
  const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
  const changed = git('status', '--porcelain', '--', ...parts)
  return {
    at: new Date().toISOString(),
    commit: git('rev-parse', 'HEAD') + (changed === '' ? '' : ' with changes'),
    machine: {
      cpu: cpus()[0]?.model.trim(),
      cores: cpus().length,
      memoryGb: Math.round(totalmem() / 2 ** 30),
      kernel: release(),
      node: process.version,
    },
  }
}
