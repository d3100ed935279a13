// Compiles src into dist, examples into examples/dist, and bundles the dashboard into dist/dashboard. Stale files would let a
// child-process test run code that no longer exists, so all start clean.
//
//   node scripts/build.js [--no-check]    without checking types, which takes half of the time: `npm run types` does that
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { build } from 'vite'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
const { values } = parseArgs({ options: { 'no-check': { type: 'boolean' } } })
const flags = values['no-check'] ? ['--noCheck'] : []
for (const [folder, project] of [
  ['dist', 'tsconfig.build.json'],
  ['examples/dist', 'examples/tsconfig.json'],
]) {
  // Except the documentation site, which scripts/build-docs.js builds.
  const stale = existsSync(join(root, folder)) ? readdirSync(join(root, folder)) : []
  for (const name of stale.filter((each) => each !== 'docs'))
    rmSync(join(root, folder, name), { recursive: true, force: true })
  execFileSync(process.execPath, [tsc, '-p', join(root, project), ...flags], { stdio: 'inherit' })
}
chmodSync(join(root, 'dist', 'cli', 'main.js'), 0o755)
await build({ configFile: join(root, 'dashboard', 'vite.config.ts'), logLevel: 'warn' })

// The server sends these instead of compressing each response.
const assets = join(root, 'dist', 'dashboard', 'assets')
for (const name of readdirSync(assets).filter((each) => /\.(js|css|svg)$/.test(each))) {
  const text = readFileSync(join(assets, name))
  writeFileSync(join(assets, `${name}.br`), brotliCompressSync(text))
  writeFileSync(join(assets, `${name}.gz`), gzipSync(text, { level: 9 }))
}
