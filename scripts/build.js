// Compiles src into dist, and examples into examples/dist. Stale files would let a child-process test run code that no longer exists, so
// both start clean.
import { execFileSync } from 'node:child_process'
import { chmodSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
for (const [folder, project] of [
  ['dist', 'tsconfig.build.json'],
  ['examples/dist', 'examples/tsconfig.json'],
]) {
  rmSync(join(root, folder), { recursive: true, force: true })
  execFileSync(process.execPath, [tsc, '-p', join(root, project)], { stdio: 'inherit' })
}
chmodSync(join(root, 'dist', 'cli', 'main.js'), 0o755)
